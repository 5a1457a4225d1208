import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, compactBuyer, FLIGHT, PRODUCT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('the total of a media buy', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, listed } = compactBuyer(() => agent)
  const usd = (amount: number) => ({ amount, currency: 'USD' })
  const created = async (...budgets: readonly number[]) => {
    const [{ pricing_options: options }] = (await listed()).products
    const { pricing_option_id } = options.find((each: object) => 'fixed_price' in each)
    const packages = budgets.map((budget) => ({ product_id: PRODUCT, pricing_option_id, budget }))
    return ask('create_media_buy', { brand: account.brand, ...FLIGHT, packages })
  }
  const read = async (id: string) => (await ask('get_media_buys', { media_buy_ids: [id] })).media_buys[0]
  const budgetsOf = ({ packages }: { packages: readonly { readonly budget: number }[] }) => packages.map(({ budget }) => budget)

  test('scales its packages, in payable amounts that add up to it', async () => {
    const { media_buy_id: id, revision } = await created(60_000, 40_000)
    const updated = await ask('update_media_buy', { media_buy_id: id, revision, total_budget: usd(50_000) })
    expect(updated).toMatchObject({ total_budget: 50_000, revision: revision + 1 })
    expect(budgetsOf({ packages: updated.affected_packages })).toEqual([30_000, 20_000])
    expect(await read(id)).toMatchObject({ total_budget: 50_000, packages: [{ budget: 30_000 }, { budget: 20_000 }] })

    await ask('control_media_buy', { media_buy_id: id, revision: revision + 1, total_budget: usd(50_000.01) })
    const [first = 0, second = 0] = budgetsOf(await read(id))
    expect(Math.round((first + second) * 100)).toBe(5_000_001)
  })

  test('leaves canceled packages as they are', async () => {
    const { media_buy_id: id, packages } = await created(30_000, 20_000, 10_000)
    await ask('update_media_buy', { media_buy_id: id, packages: [{ package_id: packages[0].package_id, canceled: true }] })
    await ask('update_media_buy', { media_buy_id: id, total_budget: usd(60_000) })
    expect(budgetsOf(await read(id))).toEqual([30_000, 40_000, 20_000])
  })

  test('has to be what named packages add up to', async () => {
    const { media_buy_id: id, packages } = await created(60_000, 40_000)
    const change = { media_buy_id: id, packages: [{ package_id: packages[0].package_id, budget: 50_000 }] }
    expect(await refused('3.2', 'update_media_buy', { ...change, total_budget: usd(60_000) })).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'total_budget.amount',
      message: expect.stringContaining('90000'),
    })
    expect(budgetsOf(await read(id))).toEqual([60_000, 40_000])
    await ask('update_media_buy', { ...change, total_budget: usd(90_000) })
    expect(budgetsOf(await read(id))).toEqual([50_000, 40_000])
  })

  test('is refused whole where a package cannot be had for its part, and in another currency', async () => {
    const { media_buy_id: id } = await created(6_000, 4_000)
    const asked = (total_budget: object) => refused('3.2', 'update_media_buy', { media_buy_id: id, total_budget })
    expect(await asked(usd(0.02))).toMatchObject({ field: 'total_budget.amount' })
    expect(await asked({ amount: 5_000, currency: 'EUR' })).toMatchObject({ field: 'total_budget.currency' })
    expect(await refused('3.0', 'update_media_buy', { media_buy_id: id, total_budget: usd(5_000) })).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'total_budget',
    })
    expect(budgetsOf(await read(id))).toEqual([6_000, 4_000])
    expect((await answer('3.0', 'get_media_buys', { media_buy_ids: [id] })).media_buys[0].total_budget).toBe(10_000)
  })
})
