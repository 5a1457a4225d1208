import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

interface Answered {
  readonly products: readonly { readonly product_id: string; readonly pricing_options: readonly Option[] }[]
  readonly refinement_applied: readonly { readonly status: string; readonly notes?: string }[]
  readonly proposals?: readonly {
    readonly proposal_id: string
    readonly allocations: readonly { readonly product_id: string }[]
  }[]
}
interface Option {
  readonly pricing_option_id: string
  readonly fixed_price?: number
  readonly min_spend_per_package?: number
}

describe.each(LINES)('refine says what it did, under AdCP %s', (line) => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())

  const refine = async (refine: readonly object[], more: object = {}) => {
    const { data, isError } = await agent.ask(line, 'get_products', { buying_mode: 'refine', refine, ...more })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return data as Answered
  }
  const proposal = (ask?: string, action = 'include') => ({
    scope: 'proposal',
    proposal_id: 'balanced_reach_q2',
    action,
    ...(ask !== undefined && { ask }),
  })

  test('the answer holds the products of the proposal, and every part of the ask has its outcome', async () => {
    const data = await refine([proposal('Less CTV, more sports pre-roll, 10 % lower')])
    const [outcome] = data.refinement_applied
    expect(outcome).toMatchObject({
      status: 'partial',
      notes: expect.stringMatching(/applied: ctv .*sports_preroll_q2.*"10 % lower": no/),
    })
    const planned = data.proposals?.[0]?.allocations.map(({ product_id }) => product_id) ?? []
    expect(data.products.map(({ product_id }) => product_id)).toEqual(planned)
    expect(planned).toContain('sports_preroll_q2')
  })

  test('it costs an assistant at most 6,000 tokens for four products', async () => {
    const data = await refine([proposal('Less CTV, more sports pre-roll, 10 % lower')])
    expect(data.products).toHaveLength(4)
    expect(encode(JSON.stringify(data)).length).toBeLessThanOrEqual(6_000)
  })

  test('an ask that nothing reads, or that names no condition, is not applied', async () => {
    const data = await refine([
      proposal('make it pop'),
      { scope: 'product', product_id: 'sports_preroll_q2', ask: 'add our logo to the trophy' },
      { scope: 'request', ask: 'half price, please: cheaper' },
    ])
    expect(data.refinement_applied.map(({ status }) => status)).toEqual(['unable', 'unable', 'unable'])
    for (const { notes } of data.refinement_applied) expect(notes).toBeTruthy()
  })

  test('a condition of the whole request is held against the products of the proposal', async () => {
    await refine([proposal('more display')])
    const data = await refine([proposal(), { scope: 'request', ask: 'only guaranteed packages. CPM below $5' }])
    expect(data.refinement_applied[1]).toMatchObject({
      status: 'partial',
      notes: expect.stringMatching(/applied: guaranteed delivery.*CPM of at most 5 USD: not so for ctv_outdoor/),
    })
  })

  test('the pages of an answer about a proposal are those of one list, and an ask is applied once', async () => {
    const first = await refine([proposal('more display')], { pagination: { max_results: 2 } })
    const cursor = (first as unknown as { pagination: { cursor: string } }).pagination.cursor
    const second = await refine([proposal('more display')], { pagination: { max_results: 2, cursor } })
    const shown = [...first.products, ...second.products].map(({ product_id }) => product_id)
    expect(new Set(shown)).toEqual(new Set(first.proposals?.[0]?.allocations.map(({ product_id }) => product_id)))
    const id = first.proposals?.[0]?.proposal_id
    const after = await refine([{ ...proposal(), proposal_id: id }])
    expect(after.proposals?.[0]?.allocations).toEqual(first.proposals?.[0]?.allocations)
  })
})

describe('a price is negotiated by the rules of the publisher', () => {
  let agent: MediaBuyAgent
  beforeAll(async () => {
    agent = await startMediaBuyAgent([
      productDocument('news', {}, { discounts: [{ percent: 10 }, { percent: 20, min_budget: 5_000 }] }),
      productDocument('print'),
      productDocument('club', {}, { discounts: [{ percent: 30, buyers: ['somebody_else'] }] }),
    ])
  }, 120_000)
  afterAll(() => agent?.stop())

  const ask = async (product_id: string, text: string) => {
    const refine = [{ scope: 'product', product_id, ask: text }]
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine })
    const { products, refinement_applied } = data as Answered
    const lowered = products[0]?.pricing_options.find(({ pricing_option_id: id }) => id.includes(':less-'))
    const [outcome] = refinement_applied
    // Hosts that show text alone learn of it, too.
    expect(summarizeProducts(data)).toContain(`refine[0]: ${outcome?.notes}`)
    return { ...outcome, lowered }
  }
  const buy = (product_id: string, pricing_option_id: string, budget: number) =>
    agent.create({ packages: [{ product_id, pricing_option_id, budget }] })

  test('yes up to the rule, at a price that can be bought', async () => {
    const { status, lowered } = await ask('news', '10% lower CPM')
    expect(status).toBe('applied')
    const { data: listed } = await buy('news', 'cpm', 1000)
    const { data, isError } = await buy('news', lowered?.pricing_option_id ?? '', 1000)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    const { data: read } = await agent.buyer.call('get_media_buy_delivery', {
      media_buy_ids: [listed.media_buy_id, data.media_buy_id],
    })
    const rateOf = (id: string) =>
      read.media_buy_deliveries.find(({ media_buy_id }: { media_buy_id: string }) => media_buy_id === id).by_package[0].rate
    const rates = [rateOf(listed.media_buy_id), rateOf(data.media_buy_id)]
    expect(rates[1]).toBeCloseTo(rates[0] * 0.9, 6)
    expect(lowered?.fixed_price).toBeCloseTo(rates[1], 6)
  })

  test('a counter-offer where less is granted, and the volume that more takes', async () => {
    const small = await ask('news', '20% lower with a budget of $1,000')
    expect(small).toMatchObject({ status: 'partial', notes: expect.stringContaining('counter-offer') })
    // One product is not under what was done and under what is not possible, in words that contradict each other.
    expect(small.notes).toContain('no, only the counter-offer for news')
    expect(small.notes).not.toContain('news is sold at')
    expect(small.lowered?.pricing_option_id).toBe('cpm:less-10')
    const large = await ask('news', '20% lower with a budget of $6,000')
    expect(large).toMatchObject({ status: 'applied', lowered: { min_spend_per_package: 5_000 } })
    const { data } = await buy('news', large.lowered?.pricing_option_id ?? '', 1000)
    expect(data.adcp_error).toMatchObject({ code: 'BUDGET_TOO_LOW', field: 'packages[0].budget' })
  })

  test('no without a rule for the buyer, whatever id is made up', async () => {
    for (const id of ['print', 'club']) {
      const answer = await ask(id, '10% discount')
      expect(answer).toMatchObject({ status: 'unable', notes: expect.stringContaining('no, ') })
      expect(answer.lowered).toBeUndefined()
      const { data } = await buy(id, 'cpm:less-10', 1000)
      expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'packages[0].pricing_option_id' })
    }
    const { data } = await buy('news', 'cpm:less-21', 50_000)
    expect(data.adcp_error).toMatchObject({ field: 'packages[0].pricing_option_id' })
  })
})
