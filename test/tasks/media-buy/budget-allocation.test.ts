import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, compactBuyer, FLIGHT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

// AdCP 3.2 asks buyers to say the allocation of a budget, also where it is the one without the member (core/budget-allocation.json).
describe.skipIf(!LINES.includes('3.2'))('the allocation of a budget to packages', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, listed } = compactBuyer(() => agent)
  const line = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 600 }
  const order = (budget_allocation: object) => ({
    brand: account.brand,
    packages: [{ ...line, bid_price: 5 }],
    ...FLIGHT,
    budget_allocation,
  })

  test('fixed is what is done: taken by both families, for orders and changes, with nothing ignored', async () => {
    const created = await answer('3.2', 'create_media_buy', order({ mode: 'fixed' }))
    expect(created.ext?.ignored_members).toBeUndefined()
    const { media_buy_id } = created
    const fixed = { budget_allocation: { mode: 'fixed' } }
    const updated = await answer('3.2', 'update_media_buy', { media_buy_id, ...fixed, daily_budget_cap: 80 })
    expect(updated.ext?.ignored_members).toBeUndefined()
    const { feed_version } = await listed('ros_display')
    const purchases = [{ ...line, bidding: { max_bid: 5 } }]
    const bought = await ask('buy_products', { feed_version, purchases, ...FLIGHT, ...fixed })
    expect(bought.ext?.ignored_members).toBeUndefined()
    const control = { media_buy_id, revision: updated.revision, ...fixed, daily_budget_cap: 90 }
    expect((await ask('control_media_buy', control)).ext?.ignored_members).toBeUndefined()
  })

  test('one of the seller is refused, with what to send instead', async () => {
    const optimized = { mode: 'seller_optimized', optimization_goals: [{ kind: 'metric', metric: 'clicks', priority: 1 }] }
    const refusal = await refused('3.2', 'create_media_buy', {
      ...order(optimized),
      total_budget: { amount: 600, currency: 'USD' },
    })
    expect(refusal).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'budget_allocation',
      message: expect.stringContaining('send {"mode": "fixed"} or leave it out'),
    })
  })
})
