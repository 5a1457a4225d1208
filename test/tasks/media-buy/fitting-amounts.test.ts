import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const FLIGHT = { start_time: '2026-04-01T00:00:00Z', end_time: '2026-04-11T00:00:00Z' }
const BRAND = { brand: { domain: 'brand.example' } }
const DAYS = { start_date: '2026-04-01', end_date: '2026-04-10' }
const sports = (id: string) =>
  productDocument(id, { delivery_type: 'guaranteed' }, { daily_capacity: 100_000, keywords: ['sports'], approval: 'automatic' })

const cooking = productDocument('gamma', { delivery_type: 'guaranteed' }, { daily_capacity: 100_000, keywords: ['cooking'] })

let agent: MediaBuyAgent
let cpm = 0
beforeAll(async () => {
  agent = await startMediaBuyAgent([sports('alpha'), sports('beta'), cooking], {
    contracts: loadContracts(),
  })
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  cpm = data.products[0].pricing_options[0].fixed_price
  // Two days of alpha are full but for 10,000.
  const full = { start_time: '2026-04-03T00:00:00Z', end_time: '2026-04-05T00:00:00Z' }
  expect((await agent.create({ ...full, packages: [wanted(180_000)] })).isError).toBe(false)
}, 120_000)
afterAll(() => agent?.stop())

const wanted = (impressions: number, product_id = 'alpha') => ({
  product_id,
  pricing_option_id: 'cpm',
  budget: Math.round(impressions * cpm) / 1000,
})

test('an order that does not fit hears the full days and the largest budget that fits, which then fits', async () => {
  const { data } = await agent.create({ ...FLIGHT, packages: [wanted(500_000)] })
  expect(data.adcp_error).toMatchObject({
    code: 'PRODUCT_UNAVAILABLE',
    field: 'packages[0].product_id',
    message: expect.stringContaining('2026-04-03, 2026-04-04'),
    details: { short_days: ['2026-04-03', '2026-04-04'], requested_impressions: 500_000 },
  })
  const { fitting_budget: budget, fitting_impressions: fits } = data.adcp_error.details
  expect(fits).toBeGreaterThan(99_900)
  expect(fits).toBeLessThanOrEqual(100_000)
  expect(data.adcp_error.message).toContain(
    `all days of the flight have ${data.adcp_error.details.available_impressions} left together (available_impressions), but an order is spread evenly`,
  )
  expect(data.adcp_error.suggestion).toContain(`lower the budget to ${budget} USD`)
  const fitting = await agent.create({ ...FLIGHT, packages: [{ ...wanted(0), budget }] })
  expect(fitting.isError, JSON.stringify(fitting.data)).toBe(false)

  const [{ package_id }] = fitting.data.packages
  const { media_buy_id } = fitting.data
  const more = await agent.run('update_media_buy', { media_buy_id, packages: [{ package_id, budget: budget * 2 }] })
  expect(more.data.adcp_error.message).toMatch(/2026-04-03, 2026-04-04; nothing of the \d+ impressions fits/)
  await agent.run('update_media_buy', { media_buy_id, canceled: true })
})

const plan = async (pin: object, budget: number) => {
  const brief = `sports, USD ${budget}`
  const asked = await agent.buyer.call('get_products', { ...pin, buying_mode: 'brief', brief })
  return asked.data.proposals[0].proposal_id
}
const finalize = async (pin: object, proposal_id: string) => {
  const refine = [{ scope: 'proposal', proposal_id, action: 'finalize' }]
  const { data } = await agent.buyer.call('get_products', {
    ...pin,
    buying_mode: 'refine',
    refine,
    filters: DAYS,
    account: ACCOUNT,
  })
  expect(data.refinement_applied, JSON.stringify(data)).toBeDefined()
  return data.refinement_applied[0]
}

test('a plan that cannot be held hears the largest budget that can, which then is', async () => {
  for (const [index, pin] of [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }].entries()) {
    const id = await plan(pin, Math.round(800 * cpm) + index)
    const { status, notes } = await finalize(pin, id)
    expect(status).toBe('unable')
    expect(notes).toContain('2026-04-03, 2026-04-04')
    const [, ask = '', amount] = /ask for "(a budget of ([\d.]+) USD)"/.exec(notes) ?? []
    expect(Number(amount), notes).toBeGreaterThan(0)
    const entry = { scope: 'proposal', proposal_id: id, action: 'include', ask }
    const { data } = await agent.buyer.call('get_products', { ...pin, buying_mode: 'refine', refine: [entry] })
    const [draft] = data.proposals
    expect(draft.total_budget_guidance.recommended).toBe(Number(amount))
    expect((await finalize(pin, draft.proposal_id)).status, notes).toBe('applied')
    await agent.buyer.call('decline_proposals', {
      adcp_version: '3.2',
      idempotency_key: crypto.randomUUID(),
      declines: [{ proposal_id: draft.proposal_id, reason: 'price' }],
    })
  }
})

test('a plan of more than may be held says what can be held and that all of it can be bought, which it then is', async () => {
  for (const [index, pin] of [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }].entries()) {
    const budget = Math.round(600 * cpm) + index
    const id = await plan(pin, budget)
    const refine = [{ scope: 'proposal', proposal_id: id, action: 'finalize' }]
    const days = { start_date: '2026-06-01', end_date: '2026-06-10' }
    const asked = { ...pin, buying_mode: 'refine', refine, filters: days, account: ACCOUNT }
    const [{ status, notes }] = (await agent.buyer.call('get_products', asked)).data.refinement_applied
    expect(status).toBe('applied')
    expect(notes).toContain('inventory is not held: you may hold 25000 impressions of ')
    const [, fits, of] = /without an order (\d+) of its (\d+) impressions can be held/.exec(notes) ?? []
    expect(Number(fits), notes).toBeLessThan(Number(of))
    // 25,000 on each of ten days, less what rounding a day up costs.
    expect(250_000 - Number(fits), notes).toSatisfy((lost) => Number(lost) >= 0 && Number(lost) <= 10)
    const [, amount, whole] = /be held \(([\d.]+) USD\), which limits the plan to ([\d.]+) of its \d+ USD\. /.exec(notes) ?? []
    // The amount is that of the impressions at their price, and the product takes half of the plan.
    expect(Math.abs(Number(amount) - (Number(fits) * cpm) / 1000), notes).toBeLessThanOrEqual(0.01)
    expect(Math.abs(Number(whole) - 2 * Number(amount)), notes).toBeLessThanOrEqual(0.02)
    expect(notes).toContain(`There is room for all of its ${budget} USD now`)
    expect(notes).not.toMatch(/impressions fit|of it fit/)
    const flight = { start_time: '2026-06-01T00:00:00Z', end_time: '2026-06-11T00:00:00Z' }
    const bought = await agent.create({
      ...flight,
      packages: undefined,
      proposal_id: id,
      total_budget: { amount: budget, currency: 'USD' },
    })
    expect(bought.isError, JSON.stringify(bought.data)).toBe(false)
    await agent.run('update_media_buy', { media_buy_id: bought.data.media_buy_id, canceled: true })
  }
})

test('a plan beside what its buyer holds already hears by which proposal, and that declining it frees that', async () => {
  const days = { start_date: '2026-08-01', end_date: '2026-08-10' }
  const ended = async (id: string) => {
    const refine = [{ scope: 'proposal', proposal_id: id, action: 'finalize' }]
    const asked = { adcp_version: '3.2', buying_mode: 'refine', refine, filters: days, account: ACCOUNT }
    return (await agent.buyer.call('get_products', asked)).data.refinement_applied[0].notes as string
  }
  const first = await plan({ adcp_version: '3.2' }, Math.round(400 * cpm))
  expect(await ended(first)).toContain('inventory held from 2026-08-01 to 2026-08-10')
  const second = await plan({ adcp_version: '3.2' }, Math.round(400 * cpm) + 1)
  const said = await ended(second)
  expect(said).toMatch(
    /you may hold 25000 impressions of \w+ a day without an order, 25% of them, and hold up to 20000 of them already by /,
  )
  expect(said).toContain(`${first}: buying or declining (decline_proposals, AdCP 3.2) such a proposal frees them; it takes more`)
  await agent.buyer.call('decline_proposals', {
    adcp_version: '3.2',
    idempotency_key: crypto.randomUUID(),
    declines: [{ proposal_id: first, reason: 'price' }],
  })
  const third = await plan({ adcp_version: '3.2' }, Math.round(400 * cpm) + 2)
  expect(await ended(third)).toContain('inventory held from 2026-08-01 to 2026-08-10')
})

test('a plan that neither fits nor may be held hears what can be bought, not what can be held', async () => {
  const id = await plan({}, Math.round(2000 * cpm))
  const refine = [{ scope: 'proposal', proposal_id: id, action: 'finalize' }]
  const filters = { start_date: '2026-07-01', end_date: '2026-07-05' }
  const asked = { buying_mode: 'refine', refine, filters, account: ACCOUNT }
  const [{ status, notes }] = (await agent.buyer.call('get_products', asked)).data.refinement_applied
  expect(status).toBe('unable')
  const [, amount] = /at most ([\d.]+) USD of it can be bought: ask for/.exec(notes) ?? []
  // Five days of 100,000 of each of two products, shared alike.
  expect(Number(amount), notes).toBeGreaterThan(999 * cpm)
  expect(Number(amount), notes).toBeLessThanOrEqual(1000 * cpm)
})

test('what a refusal or a forecast says does not tell how much others ordered', async () => {
  const day = (first: number, days: number) => ({
    start_time: `2026-05-${String(first).padStart(2, '0')}T00:00:00Z`,
    end_time: `2026-05-${String(first + days).padStart(2, '0')}T00:00:00Z`,
  })
  const order = async (impressions: number) =>
    expect((await agent.create({ ...day(5, 4), packages: [wanted(impressions * 4, 'gamma')] })).isError).toBe(false)
  /** Everything that a buyer learns without an order: flights of several lengths, amounts that are enough and too little for a day. */
  const learned = async () => {
    const flights = [1, 2, 3, 4, 7].flatMap((days) =>
      [200_000, 79_300, 79_550, 70_000].map((each) => [days, each * days] as const),
    )
    const refused = await Promise.all(
      flights.map(async ([days, impressions]) => {
        // Beta has too little for any of them: none is bought.
        const { data } = await agent.create({
          ...day(5, days),
          packages: [wanted(impressions, 'gamma'), wanted(900_000_000, 'beta')],
        })
        return [data.adcp_error.message, data.adcp_error.details]
      }),
    )
    const brief = { buying_mode: 'brief', brief: 'cooking from 2026-05-05 to 2026-05-08', fields: ['product_id', 'forecast'] }
    const { data } = await agent.buyer.call('get_products', brief)
    return { refused, forecasts: data.products.map((each: object) => JSON.stringify(each)) }
  }
  await order(20_400)
  const before = await learned()
  await order(77)
  const after = await learned()
  expect(after).toEqual(before)
})

test('an order of a plan without a total, or with one that has no form, is told one that is taken', async () => {
  const pins = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
  for (const [index, pin] of pins.entries()) {
    const budget = 40 + index
    const id = await plan(pin, budget)
    expect((await finalize(pin, id)).status).toBe('applied')
    const order = (more: object) => agent.run('create_media_buy', { ...pin, ...FLIGHT, ...BRAND, proposal_id: id, ...more })
    const refused = async (more: object) => (await order(more)).data.adcp_error.message
    for (const wrong of [{}, { total_budget: budget }, { total_budget: 'all' }]) {
      const message = await refused(wrong)
      expect(message).not.toContain('…')
      expect(JSON.parse(/\{"amount".*?\}/.exec(message)?.[0] ?? '')).toEqual({ amount: budget, currency: 'USD' })
    }
    expect(await refused({ total_budget: { amount: budget } })).toMatch(/this proposal is in USD$/)
    expect(await refused({ total_budget: { currency: 'USD' } })).toContain(`this proposal takes ${budget}`)
    expect(await refused({ total_budget: { amount: budget } })).not.toContain('EUR')
    const bought = await order({ total_budget: { amount: budget, currency: 'USD' } })
    expect(bought.isError, JSON.stringify(bought.data)).toBe(false)
    await agent.run('update_media_buy', { media_buy_id: bought.data.media_buy_id, canceled: true })
  }
})
