import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../../support/compact-buyer.ts'
import {
  BRIEF,
  clock,
  DAYS,
  digestOf,
  FLIGHT,
  HOUR_MS,
  IMPRESSIONS,
  type Json,
  NOW,
  PRODUCT,
  proposalBuyer,
  startProposalAgent,
} from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('proposals are accepted', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const buyer = proposalBuyer(() => agent)
  const { answer, refusedFor, ask, refused, requested, revise, finalize, acceptance, reserved, holds } = buyer

  test('a draft is finalized on the same terms and bought on exactly these, once', async () => {
    const draft = await requested()
    const firm = await finalize(draft.proposal_id)
    expect(firm).toMatchObject({
      proposal_status: 'committed',
      parent_proposal_id: draft.proposal_id,
      commercial_terms: draft.commercial_terms,
      terms_digest: draft.terms_digest,
      expires_at: new Date(NOW + (clock.hours + 48) * HOUR_MS).toISOString(),
    })
    const wrong = `${firm.terms_digest.slice(0, -1)}${firm.terms_digest.endsWith('A') ? 'B' : 'A'}`
    expect(await refused('accept_proposal', { ...acceptance(firm), proposal_terms_digest: wrong })).toMatchObject({
      code: 'CONFLICT',
      field: 'proposal_terms_digest',
      recovery: 'correctable',
    })
    expect(await refused('accept_proposal', acceptance(draft))).toMatchObject({ code: 'PROPOSAL_NOT_COMMITTED' })
    expect(await refused('accept_proposal', acceptance({ ...firm, proposal_id: 'proposal_of_nobody' }))).toMatchObject({
      code: 'PROPOSAL_NOT_FOUND',
    })
    for (const [more, field] of [
      [{ total_budget: { amount: 5, currency: 'USD' } }, 'total_budget'],
      [{ budget_cap_timezone: 'Europe/Berlin' }, 'budget_cap_timezone'],
    ] as const)
      expect(await refused('accept_proposal', acceptance(firm, more))).toMatchObject({ field })
    expect(
      await refused('refine_proposals', { refinements: [{ proposal_id: firm.proposal_id, action: 'finalize' }] }),
    ).toMatchObject({
      code: 'INVALID_STATE',
    })
    const bought = await ask('accept_proposal', acceptance(firm, { name: 'Sport in May', purchase_order_ref: 'PO-7' }))
    expect(bought).toMatchObject({
      status: 'completed',
      name: 'Sport in May',
      accepted_proposal: {
        proposal_id: firm.proposal_id,
        parent_proposal_id: draft.proposal_id,
        proposal_status: 'accepted',
        commercial_terms: firm.commercial_terms,
        terms_digest: firm.terms_digest,
      },
      purchase_bindings: [{ purchase_index: 0, product_id: PRODUCT }],
    })
    expect(await refused('accept_proposal', acceptance(firm))).toMatchObject({
      code: 'INVALID_STATE',
      details: { media_buy_id: bought.media_buy_id },
    })
    expect(await revise(firm.proposal_id, { ask: 'a budget of 50,000 USD' })).toMatchObject({ reason_code: 'source_unavailable' })
    const { media_buys: read } = await answer('3.0', 'get_media_buys', { media_buy_ids: [bought.media_buy_id] })
    expect(read[0]).toMatchObject({ media_buy_id: bought.media_buy_id, total_budget: 30_000 })
    const paused = await ask('control_media_buy', { media_buy_id: bought.media_buy_id, revision: bought.revision, paused: true })
    expect(paused.revision).toBe(bought.revision + 1)
    const canceled = await answer('3.0', 'update_media_buy', { media_buy_id: bought.media_buy_id, canceled: true })
    expect(canceled.media_buy_id).toBe(bought.media_buy_id)
  })

  test('prices that were agreed hold, whatever the publisher asks for later', async () => {
    const seed = (price: number) =>
      agent.control('seed_product', {
        product_id: 'agreed_price',
        fixture: {
          delivery_type: 'non_guaranteed',
          channels: ['display'],
          pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: price }],
        },
      })
    await seed(10)
    const firm = await finalize((await requested({ ...DAYS, product_ids: ['agreed_price'] })).proposal_id)
    await seed(30)
    const { accepted_proposal: accepted, media_buy_id: id } = await ask('accept_proposal', acceptance(firm))
    expect(accepted.commercial_terms.purchases[0].pricing.fixed_price).toBe(10)
    const [{ packages }] = (await answer('3.0', 'get_media_buys', { media_buy_ids: [id] })).media_buys
    expect(packages[0].bid_price ?? packages[0].price ?? 10).toBe(10)
  })

  test('proposals of both families are one: each can be finalized and bought by the other', async () => {
    const draft = await requested()
    const before = await reserved()
    const established = await answer('3.1', 'get_products', {
      buying_mode: 'refine',
      refine: [{ scope: 'proposal', proposal_id: draft.proposal_id, action: 'finalize' }],
    })
    expect(established.proposals[0]).toMatchObject({ proposal_id: draft.proposal_id, proposal_status: 'committed' })
    expect(await reserved()).toBe(before + IMPRESSIONS)
    const order = { brand: account.brand, total_budget: { amount: 30_000, currency: 'USD' }, ...FLIGHT }
    const { media_buy_id: id } = await answer('3.0', 'create_media_buy', { ...order, proposal_id: draft.proposal_id })
    expect(await reserved()).toBe(before + IMPRESSIONS)
    expect(await refused('accept_proposal', acceptance(draft))).toMatchObject({ details: { media_buy_id: id } })
    expect(await refusedFor('3.0', 'create_media_buy', { ...order, proposal_id: draft.proposal_id })).toMatchObject({
      code: 'INVALID_STATE',
    })
    await answer('3.0', 'update_media_buy', { media_buy_id: id, canceled: true })

    const { proposals } = await answer('3.0', 'get_products', { buying_mode: 'brief', ...BRIEF })
    const finalizing = { refinements: [{ proposal_id: proposals[0].proposal_id, action: 'finalize' }] }
    // This buyer has accounts for two brands.
    expect((await ask('refine_proposals', finalizing)).results[0].reason).toContain('brand')
    const single = await agent.buyerOn(account, { principal: 'single-brand', sandbox: true })
    const asked = async (task: string, args: object): Promise<Json> =>
      (await single.call(task, { adcp_version: '3.2', idempotency_key: `single-brand-${task}`, ...args })).data
    const [{ outcome, proposal }] = (await asked('refine_proposals', finalizing)).results
    expect(outcome).toBe('finalized')
    const bought = await asked('accept_proposal', { account, ...acceptance(proposal) })
    expect(bought.accepted_proposal.parent_proposal_id).toBe(proposals[0].proposal_id)
  })

  test('a thousand acceptances of one proposal at the same moment are one media buy', { timeout: 300_000 }, async () => {
    const firm = await finalize((await requested()).proposal_id)
    const before = await reserved()
    const replies: Json[] = []
    let next = 0
    const buyer = async () => {
      while (next < 1_000) {
        const idempotency_key = `parallel-accept-${String(next++).padStart(4, '0')}`
        const request = { adcp_version: '3.2', idempotency_key, account, ...acceptance(firm) }
        replies.push(await agent.buyer.call('accept_proposal', request))
      }
    }
    // A listening socket has a queue of some hundred connections.
    await Promise.all(Array.from({ length: 200 }, buyer))
    const bought = replies.filter(({ isError }) => !isError)
    expect(bought).toHaveLength(1)
    const codes = new Set(replies.flatMap(({ data, isError }) => (isError ? [data.adcp_error.code] : [])))
    expect([...codes]).toEqual(['INVALID_STATE'])
    const stored = await agent.server.store.read
      .selectFrom('media_buys')
      .select('media_buy_id')
      .where('document', 'like', `%"proposalId":"${firm.proposal_id}"%`)
      .execute()
    expect(stored).toHaveLength(1)
    expect(await reserved()).toBe(before)
    expect(await holds()).toEqual([])
  })

  test('the bid of an auctioned purchase is one of the terms, and that of the order', async () => {
    const ids = ['outdoor_display_auction', 'app_video']
    const draft = await requested({ ...DAYS, product_ids: ids })
    const { purchases } = draft.commercial_terms
    const medians = purchases.map(({ pricing }: Json) => Math.max(pricing.floor_price, pricing.price_guidance.p50))
    const bids = medians.map((max_bid: number) => ({ max_bid }))
    expect(purchases.map(({ bidding }: Json) => bidding)).toEqual(bids)
    expect(draft.terms_digest).toBe(digestOf(draft.commercial_terms))
    const firm = await finalize(draft.proposal_id)
    expect(firm.commercial_terms).toEqual(draft.commercial_terms)
    const bought = await ask('accept_proposal', acceptance(firm))
    const { media_buys: buys } = await ask('get_media_buys', { media_buy_ids: [bought.media_buy_id] })
    const bidOf = new Map(buys[0].packages.map(({ product_id: id, bidding }: Json) => [id, bidding]))
    expect(purchases.map(({ product_id: id }: Json) => bidOf.get(id))).toEqual(bids)
  })
})
