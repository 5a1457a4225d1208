import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlanDocument, ProductDocument } from '../../../src/domain/product/products-file.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { LINES } from '../../support/release-agent.ts'

const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'EUR', fixed_price: 20 } as const
const daily: ProductDocument['pricing_options'][number] = {
  pricing_option_id: 'day',
  pricing_model: 'time',
  currency: 'EUR',
  fixed_price: 300,
  parameters: { time_unit: 'day', min_duration: 1, max_duration: 30 },
}
const sold = (
  id: string,
  option: ProductDocument['pricing_options'][number],
  selling: Partial<ProductDocument['selling']> = {},
) =>
  productDocument(
    id,
    { channels: [id.startsWith('video') ? 'olv' : 'display'], delivery_type: 'guaranteed', pricing_options: [option] },
    selling,
  )
const plan = (id: string, shares: readonly (readonly [product: string, option: string, percent: number])[]): PlanDocument => ({
  proposal_id: id,
  name: id,
  description: 'Made by hand.',
  allocations: shares.map(([product_id, pricing_option_id, allocation_percentage]) => ({
    product_id,
    pricing_option_id,
    allocation_percentage,
  })),
  total_budget_guidance: { min: 500, recommended: 20_000, currency: 'EUR' },
})

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([], { contracts: loadContracts() })
  agent.setClock('2026-11-29T12:00:00Z')
  const products = [
    sold('video', cpm),
    sold('video_late', cpm, { creative_lead_hours: 240 }),
    sold('display', cpm),
    sold('front_page', daily),
    {
      ...sold('bidden', { pricing_option_id: 'bid', pricing_model: 'cpm', currency: 'EUR', floor_price: 5 }),
      delivery_type: 'non_guaranteed' as const,
    },
  ]
  const plans = [
    plan('timed', [
      ['front_page', 'day', 40],
      ['video', 'cpm', 60],
    ]),
    plan('plain', [
      ['display', 'cpm', 40],
      ['video', 'cpm', 60],
    ]),
    plan('mixed', [
      ['bidden', 'bid', 40],
      ['video', 'cpm', 60],
    ]),
    plan('late', [
      ['video_late', 'cpm', 50],
      ['display', 'cpm', 50],
    ]),
  ]
  await agent.server.store.transaction((tx) =>
    saveProducts(tx, agent.tenant, { version: 1, products, plans }, { merge: false }, new Date('2026-11-29T12:00:00Z')),
  )
}, 120_000)
afterAll(() => agent?.stop())

const days = (first: string, last: string) => ({ filters: { start_date: first, end_date: last } })
const CHRISTMAS = days('2026-12-11', '2026-12-24')
const JANUARY = days('2027-01-11', '2027-01-24')

async function refine(proposal_id: string, entry: object, more: object = {}) {
  const request = { buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, ...entry }], ...more }
  const { data } = await agent.buyer.call('get_products', request)
  return { ...data.refinement_applied?.[0], proposal: data.proposals?.[0] }
}
const include = (id: string, ask?: string, more?: object) => refine(id, { action: 'include', ...(ask && { ask }) }, more)
const finalize = (id: string, more?: object) => refine(id, { action: 'finalize' }, more)
const held = async () => (await agent.server.store.read.selectFrom('inventory_holds').selectAll().execute()).length

test.each(LINES.filter((line) => line !== '3.2'))(
  'under AdCP %s what is sold by the day is priced for all days of a refined plan',
  async (adcp_version) => {
    const dated = await include('timed', undefined, { adcp_version, ...CHRISTMAS })
    expect(dated.proposal.total_budget_guidance).toMatchObject({ min: 4200, recommended: 20_000 })
    // 40% of 8,000 would pay one day, and less than fourteen.
    const short = await include(dated.proposal.proposal_id, 'budget 3000 EUR', { adcp_version })
    expect(short).toMatchObject({ status: 'unable', notes: 'not possible: these shares for 3000 EUR: they need 4200 EUR' })
    const lower = await include(dated.proposal.proposal_id, 'budget 5000 EUR', { adcp_version })
    expect(lower.proposal.total_budget_guidance).toMatchObject({ min: 4200, recommended: 5000 })
    const firm = await finalize(lower.proposal.proposal_id, { adcp_version })
    const { data, isError } = await agent.run('create_media_buy', {
      adcp_version,
      brand: ACCOUNT.brand,
      proposal_id: firm.proposal.proposal_id,
      total_budget: { amount: 5000, currency: 'EUR' },
      start_time: '2026-12-11T00:00:00Z',
      end_time: '2026-12-25T00:00:00Z',
    })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    expect(data.packages.map(({ budget }: { budget: number }) => budget)).toEqual([4200, 800])
  },
)

test.runIf(LINES.includes('3.2'))('terms of refine_proposals need what is sold by the day for all of their days', async () => {
  const dated = await include('timed', undefined, CHRISTMAS)
  const refinements = [{ proposal_id: dated.proposal.proposal_id, action: 'revise', ask: 'budget 3000 EUR' }]
  const { data } = await agent.run('refine_proposals', { adcp_version: '3.2', account: undefined, refinements })
  expect(data.results[0]).toMatchObject({
    outcome: 'unable',
    reason: 'not possible: these shares for 3000 EUR: they need 4200 EUR',
  })
})

test('a plan that is finalized without days is held once a request names them, at the prices that were firm', async () => {
  const open = await finalize('plain')
  expect(open.notes).toMatch(/inventory is not held, because no days are known/)
  const before = await held()
  const firm = await finalize('plain', CHRISTMAS)
  expect(firm).toMatchObject({
    status: 'applied',
    notes: expect.stringContaining('inventory held from 2026-12-11 to 2026-12-24'),
  })
  expect(await held()).toBeGreaterThan(before)
  expect(firm.proposal.expires_at).toBe(open.proposal.expires_at)
  expect(firm.proposal.ext.firm_prices).toEqual(open.proposal.ext.firm_prices)
  // It is for these days from now on, and says so.
  expect(await finalize('plain', CHRISTMAS)).toMatchObject({
    status: 'applied',
    notes: expect.stringMatching(/^already committed/),
  })
  for (const again of [await finalize('plain', JANUARY), await include('plain', undefined, JANUARY)])
    expect(again).toMatchObject({
      status: 'unable',
      notes: expect.stringMatching(/^not possible: it is firm for 2026-12-11 to 2026-12-24; an ask/),
    })
  const moved = await include('plain', 'less display', JANUARY)
  expect(moved.proposal.ext.flight).toEqual(JANUARY.filters)
})

test('what is held of a plan is what is guaranteed of it', async () => {
  const { notes } = await finalize('mixed', CHRISTMAS)
  expect(notes).toContain('inventory held from 2026-12-11 to 2026-12-24 for 12000 EUR, not of bidden; cancelling is free')
})

test('a plan without days says that they decide what is sold by time, and one that creatives are too late for says that', async () => {
  expect((await finalize('timed')).notes).toContain(
    'front_page costs 300 EUR per day (1 to 30 days), so that the days decide what total_budget is needed',
  )
  const late = await finalize('late', days('2026-12-01', '2026-12-03'))
  expect(late).toMatchObject({
    status: 'unable',
    notes: expect.stringContaining('creatives of video_late are due 240 hours before its flight, which would be over by then'),
  })
})

test.each([
  ['mehr Video und weniger Display', /olv has 75%.*display has 25%|display has 25%.*olv has 75%/],
  ['mer video', /olv has 75%/],
  ['mindre display', /display has 25%/],
  ['Färre display, fler video', /display has 25%/],
])('"%s" is read as in English', async (ask, notes) => {
  const asked = await include('plain', ask, JANUARY)
  expect(asked).toMatchObject({ status: 'applied', notes: expect.stringMatching(notes) })
})
