import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { summarizeListed } from '../../../src/tasks/media-buy/listing-summary.ts'
import { summarizeProposed, summarizeRefined } from '../../../src/tasks/media-buy/proposal-summaries.ts'
import { summarizeCreated, summarizeProducts, summarizeUpdated } from '../../../src/tasks/media-buy/summaries.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const policy = {
  notice_period: { interval: 7, unit: 'days' as const },
  cancellation_fee: { type: 'percent_remaining' as const, rate: 0.25 },
}
const WORDS = 'cancelling later than 7 days before the start costs 25% of the largest commitment since then less spend'
const sports = (id: string, more: object = {}) =>
  productDocument(
    id,
    { delivery_type: 'guaranteed', ...more },
    { daily_capacity: 10_000_000, keywords: ['sports'], approval: 'automatic' },
  )

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([sports('alpha', { cancellation_policy: policy }), sports('beta')], {
    contracts: loadContracts(),
  })
  agent.setClock('2026-03-01T12:00:00Z')
}, 120_000)
afterAll(() => agent?.stop())

/** The data of an answer, and the text that is shown beside it. */
async function ask(task: string, args: object, textOf?: (answer: never) => string) {
  const { data, isError } = await agent.buyer.call(task, args)
  expect(isError, JSON.stringify(data)).toBeFalsy()
  return { data, text: textOf?.(data as never) ?? '' }
}
const keyed = (args: object) => ({ adcp_version: '3.2', idempotency_key: crypto.randomUUID(), ...args })

test('rows of a brief hold the cancellation terms, in data and in text, at every release', async () => {
  for (const pin of [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data, text } = await ask('get_products', { ...pin, buying_mode: 'brief', brief: 'sports' }, summarizeProducts)
    const rows = new Map(data.products.map((each: { product_id: string }) => [each.product_id, each]))
    expect(rows.get('alpha')).toMatchObject({ cancellation_policy: policy })
    expect(rows.get('beta')).not.toHaveProperty('cancellation_policy')
    expect(text.match(new RegExp(WORDS, 'g'))).toHaveLength(1)
  }
})

test('finalize says what cancelling will cost, and since when', async () => {
  const asked = await ask('get_products', { buying_mode: 'brief', brief: 'sports, USD 8000' })
  const refine = [{ scope: 'proposal', proposal_id: asked.data.proposals[0].proposal_id, action: 'finalize' }]
  const filters = { start_date: '2026-04-10', end_date: '2026-04-19' }
  const { data, text } = await ask(
    'get_products',
    { buying_mode: 'refine', refine, filters, account: ACCOUNT },
    summarizeProducts,
  )
  const { notes } = data.refinement_applied[0]
  expect(notes).toMatch(
    /cancelling alpha once it is booked and 2026-04-03T00:00:00.000Z has come costs 25% of the largest commitment since then less spend, at most \d+(\.\d+)? USD/,
  )
  expect(text).toContain(notes)
})

test('a plan that was finalized is listed as committed, with firm prices', async () => {
  const brief = { buying_mode: 'brief', brief: 'sports, USD 9000' }
  const { data } = await ask('get_products', brief)
  const [draft] = data.proposals
  expect(draft.proposal_status).toBe('draft')
  const refine = [{ scope: 'proposal', proposal_id: draft.proposal_id, action: 'finalize' }]
  const firm = await ask('get_products', { buying_mode: 'refine', refine, account: ACCOUNT })
  const again = await ask('get_products', brief)
  for (const [proposal] of [firm.data.proposals, again.data.proposals]) {
    expect(proposal).toMatchObject({ proposal_id: draft.proposal_id, proposal_status: 'committed' })
    expect(proposal.description).not.toContain('indicative')
  }
})

test('the 3.2 lifecycle says the terms in offers, drafts and commitments, and the digest is over them', async () => {
  const listed = await ask('list_products', { adcp_version: '3.2' }, summarizeListed)
  const offer = listed.data.products.find((each: { product_id: string }) => each.product_id === 'alpha')
  expect(offer.ext).toMatchObject({ cancellation_policy: policy })
  expect(listed.text).toContain(WORDS)
  expect(listed.text).toMatch(/alpha: .*cpm [\d.]+ USD/)

  const brief = { brief: 'sports, USD 8000', criteria: { product_ids: ['alpha'] }, account: ACCOUNT }
  const days = { offer_filters: { start_date: '2026-04-10', end_date: '2026-04-19' } }
  const drafted = await ask('request_proposals', keyed({ ...brief, criteria: { ...brief.criteria, ...days } }), summarizeProposed)
  const [draft] = drafted.data.proposals
  expect(draft.commercial_terms.purchases[0].ext).toEqual({ cancellation_policy: policy })
  expect(drafted.text).toContain('cancelling alpha once it is booked and 2026-04-03T00:00:00.000Z has come costs')
  const refinements = [{ proposal_id: draft.proposal_id, action: 'finalize' }]
  const firm = await ask('refine_proposals', keyed({ refinements }), summarizeRefined)
  expect(firm.text).toContain('cancelling alpha once it is booked')
  const { proposal_id, terms_digest, commercial_terms } = firm.data.results[0].proposal
  expect(commercial_terms.purchases[0].ext).toEqual({ cancellation_policy: policy })

  const accepted = await ask('accept_proposal', keyed({ proposal_id, proposal_terms_digest: terms_digest, account: ACCOUNT }))
  expect(accepted.data.ext.terms[0]).toMatchObject({ cancellation_policy: policy })
})

test('a buyer cannot write terms of its own into a purchase', async () => {
  const { data: listing } = await ask('list_products', { adcp_version: '3.2' })
  const claimed = { cancellation_policy: { notice_period: { interval: 1, unit: 'days' }, cancellation_fee: { type: 'none' } } }
  const purchase = { product_id: 'beta', pricing_option_id: 'cpm', budget: 1000, ext: { ...claimed, mine: 1 } }
  const flight = { start_time: '2026-04-10T00:00:00Z', end_time: '2026-04-20T00:00:00Z' }
  const order = { feed_version: listing.feed_version, purchases: [purchase], ...flight, account: ACCOUNT, brand: undefined }
  const { data } = await ask('buy_products', keyed(order))
  const shown = JSON.stringify(data.accepted_proposal ?? data.media_buy ?? data)
  expect(shown).not.toContain('cancellation_policy')
})

test('an earlier start that begins the notice is said, and so is that it would be', async () => {
  const order = await agent.create({
    start_time: '2026-04-20T00:00:00Z',
    end_time: '2026-04-30T00:00:00Z',
    packages: [{ product_id: 'alpha', pricing_option_id: 'cpm', budget: 1000 }],
  })
  expect(summarizeCreated(order.data)).toContain('An earlier start brings that moment forward.')
  const [{ package_id }] = order.data.packages
  const start_time = '2026-03-05T00:00:00Z'
  const { data } = await agent.run('update_media_buy', { media_buy_id: order.data.media_buy_id, start_time })
  const note = `The new start of package ${package_id} is within its notice period: cancelling it costs at most 250 USD from now on, and a later start does not undo that.`
  expect(data.ext.notes).toContain(note)
  expect(summarizeUpdated(data)).toContain(note)
})
