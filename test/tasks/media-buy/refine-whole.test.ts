import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { summarizeProposed, summarizeRefined } from '../../../src/tasks/media-buy/proposal-summaries.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const targeting = { geo: ['country'], frequency_cap: true, language: true }
  const sports = { keywords: ['sports'], approval: 'automatic' as const, targeting }
  const auction = {
    pricing_option_id: 'bid',
    pricing_model: 'cpm' as const,
    currency: 'USD',
    floor_price: 3,
    price_guidance: { p50: 5 },
  }
  agent = await startMediaBuyAgent(
    [
      productDocument('sports_nordic', { channels: ['display'] }, { ...sports, coverage: { countries: ['SE', 'NO'] } }),
      productDocument('sports_norway', { channels: ['olv'] }, { ...sports, coverage: { countries: ['NO'] } }),
      productDocument('sports_world', { channels: ['olv'], pricing_options: [auction] }, sports),
      productDocument(
        'finance_denmark',
        { channels: ['display'] },
        { ...sports, keywords: ['finance'], coverage: { countries: ['DK'] } },
      ),
    ],
    { contracts: loadContracts() },
  )
}, 120_000)
afterAll(() => agent?.stop())

const FILTERS = { start_date: '2026-04-01', end_date: '2026-04-10' }
const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const get = async (request: object) => {
  const { data } = await agent.buyer.call('get_products', request)
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  return data
}
let briefs = 0
const planFor = async (pin: object, more: string) => {
  const brief = `sports display and video${more}, USD 1${String(++briefs).padStart(4, '0')}`
  const product_ids = ['sports_nordic', 'sports_norway', 'sports_world']
  const { proposals } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
  const plan = proposals.find(({ allocations }: { allocations: { product_id: string }[] }) =>
    product_ids.every((id) => allocations.some(({ product_id }) => product_id === id)),
  )
  expect(plan, JSON.stringify(proposals)).toBeDefined()
  return plan
}
const refine = async (pin: object, proposal_id: string, ask: string) => {
  const entry = { scope: 'proposal', proposal_id, action: 'include', ask }
  const { refinement_applied, proposals } = await get({ ...pin, buying_mode: 'refine', refine: [entry] })
  return { outcome: refinement_applied[0], plan: proposals?.[0] }
}
const negotiate = async (task: string, args: object) => {
  const { data } = await agent.run(task, { adcp_version: '3.2', account: undefined, ...args })
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  return data
}
const requested = (more: string) =>
  negotiate('request_proposals', {
    brand: ACCOUNT.brand,
    brief: `sports display and video${more}, USD 22,000`,
    criteria: { offer_filters: FILTERS },
  })
const revised = async (proposal_id: string, ask: string) => {
  const answer = await negotiate('refine_proposals', { refinements: [{ proposal_id, action: 'revise', ask }] })
  return { result: answer.results[0], text: summarizeRefined(answer) }
}

test('hours are said to be sent with the order, beside what was applied', async () => {
  for (const pin of PINS) {
    const { proposal_id } = await planFor(pin, '')
    const { outcome } = await refine(pin, proposal_id, 'only Sweden in the evening')
    expect(outcome).toMatchObject({ status: 'partial', notes: expect.stringContaining('delivery in SE alone') })
    expect(outcome.notes).toContain('the hours of the day, which an ask does not change: targeting_overlay.daypart_targets')
  }
})

test.each([
  ['20 million impressions for 20,000 USD', 'planned for 20000 USD', '20 million impressions'],
  ['only Sweden in derby weeks', 'delivery in SE alone', 'derby weeks'],
  ['USD 18,000 but in SEK', 'planned for 18000 USD', 'SEK'],
])('"%s" is not called applied whole', async (ask, applied, left) => {
  for (const pin of PINS) {
    const { proposal_id } = await planFor(pin, '')
    const { outcome } = await refine(pin, proposal_id, ask)
    expect(outcome.status).toBe('partial')
    expect(outcome.notes).toContain(applied)
    expect(outcome.notes).toContain(`"${left}" names no change that can be made`)
  }
  const { proposals } = await requested('')
  const { result, text } = await revised(proposals[0].proposal_id, ask)
  expect(result).toMatchObject({ outcome: 'partial', reason: expect.stringContaining(`"${left}"`) })
  expect(text).toContain(`"${left}" names no change`)
})

test('a cap that the plan carries is taken off when that is asked, and a plan without one says so', async () => {
  for (const pin of PINS) {
    const { proposal_id, ext } = await planFor(pin, ', three a day')
    expect(ext.targeting_overlay.frequency_cap).toBeDefined()
    const { outcome, plan } = await refine(pin, proposal_id, 'no frequency cap')
    expect(outcome).toMatchObject({ status: 'applied' })
    expect(outcome.notes).toContain(
      'no frequency cap in the packages of its order; it was at most 3 impressions of a device in 1 day',
    )
    expect(JSON.stringify(plan)).not.toContain('frequency_cap')
    const { outcome: both } = await refine(pin, plan.proposal_id, 'all products must support frequency capping at 3 per day')
    expect(both.notes).toMatch(/support for frequency caps; at most 3 impressions of a device in 1 day, in the packages/)
    const { outcome: again } = await refine(pin, plan.proposal_id, 'drop the cap')
    expect(again.notes).toContain('no frequency cap: none is set')
  }
  const { proposals } = await requested(', three a day')
  expect(JSON.stringify(proposals[0].commercial_terms)).toContain('frequency_cap')
  const { result, text } = await revised(proposals[0].proposal_id, 'no frequency cap')
  expect(result.outcome, JSON.stringify(result)).toBe('revised')
  expect(JSON.stringify(result.proposals[0].commercial_terms)).not.toContain('frequency_cap')
  for (const row of text.split('\n').filter((line) => line.startsWith('- '))) expect(row).not.toContain('at most 3 impressions')
  expect(text).toContain('applied: no frequency cap')
})

test('what would leave nothing is said so once, in words', async () => {
  const { proposal_id } = await planFor({}, '')
  const { outcome } = await refine({}, proposal_id, 'drop display and video')
  expect(outcome).toMatchObject({
    status: 'unable',
    notes: 'not possible: dropping display, olv, ctv would leave no product in the plan',
  })
  const { outcome: kind } = await refine({}, proposal_id, 'no non-guaranteed delivery')
  expect(kind.notes).not.toMatch(/no product of the plan has no/)
})

test('a country for another one is done whole or not at all, and what is on sale there is named', async () => {
  for (const pin of PINS) {
    const { proposal_id, allocations } = await planFor(pin, ' in Norway')
    const others = allocations.filter(({ product_id }: { product_id: string }) => product_id !== 'sports_world')
    const narrow = await refine(pin, proposal_id, 'drop sports_world')
    expect(narrow.plan.allocations).toHaveLength(others.length)
    const { outcome, plan } = await refine(pin, narrow.plan.proposal_id, 'Denmark instead of Norway')
    expect(outcome.status).toBe('unable')
    expect(outcome.notes).toContain('on sale there, and not in the plan: finance_denmark (ask "add finance_denmark")')
    expect(outcome.notes).toContain('NO stays in the plan, since nothing of it runs in DK')
    expect(plan.allocations).toHaveLength(others.length)
    const added = await refine(pin, narrow.plan.proposal_id, 'add finance_denmark')
    expect(added.outcome.status, added.outcome.notes).toBe('applied')
    expect(added.plan.allocations.map(({ product_id }: { product_id: string }) => product_id)).toContain('finance_denmark')
  }
})

test('a row of a proposal says the price or the bid of each purchase, and the place that it is limited to', async () => {
  const answer = await requested(', only Norway')
  const [draft] = answer.proposals
  const rows = (text: string, terms: { purchases: Purchase[] }) => {
    expect(terms.purchases.length).toBeGreaterThan(1)
    for (const { product_id, pricing_option_id, budget, pricing, targeting_overlay } of terms.purchases) {
      const price = pricing.fixed_price === undefined ? 'bid 5 USD CPM' : `${pricing.fixed_price} USD CPM`
      const place = targeting_overlay?.geo_countries ? '; only NO' : ''
      expect(text).toContain(`${product_id} ${pricing_option_id} ${budget} (${price}${place})`)
    }
  }
  rows(summarizeProposed(answer), draft.commercial_terms)
  const open = await requested('')
  const { result, text } = await revised(open.proposals[0].proposal_id, 'only Norway')
  rows(text, result.proposals[0].commercial_terms)
  const firm = await negotiate('refine_proposals', {
    refinements: [{ proposal_id: result.proposals[0].proposal_id, action: 'finalize' }],
  })
  rows(summarizeRefined(firm), firm.results[0].proposal.commercial_terms)
})

interface Purchase {
  readonly product_id: string
  readonly pricing_option_id: string
  readonly budget: number
  readonly pricing: { readonly fixed_price?: number }
  readonly targeting_overlay?: { readonly geo_countries?: string[] }
}
