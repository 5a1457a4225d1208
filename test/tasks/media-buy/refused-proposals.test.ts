import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', fixed_price: 10 }

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument(
      'scarce',
      { name: 'Sports banner', channels: ['display'], delivery_type: 'guaranteed', pricing_options: [cpm] },
      { daily_capacity: 10_000 },
    ),
    productDocument(
      'plenty',
      { name: 'Sports clip', channels: ['olv'], pricing_options: [cpm] },
      { available_until: '2026-05-01' },
    ),
  ])
})
afterAll(() => agent?.stop())

const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }

/** A firm plan over both products, without days: nothing of it is held. */
async function firmPlan(): Promise<string> {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'sports, USD 1,000' })
  const proposal_id = data.proposals[0].proposal_id
  const finalized = await agent.run('get_products', {
    buying_mode: 'refine',
    refine: [{ scope: 'proposal', proposal_id, action: 'finalize' }],
  })
  return finalized.data.proposals[0].proposal_id
}

test('a product of a proposal that too little is left of is named, with a total that is taken', async () => {
  const proposal_id = await firmPlan()
  const order = { proposal_id, packages: undefined, ...flight }
  const { data } = await agent.create({ ...order, total_budget: { amount: 4000, currency: 'USD' } })
  const { code, field, message, suggestion } = data.adcp_error
  expect({ code, field }).toEqual({ code: 'PRODUCT_UNAVAILABLE', field: 'proposal_id' })
  expect(message).toMatch(/^scarce does not have enough inventory left in this flight/)
  expect(suggestion).not.toContain('packages[')
  expect(suggestion).toContain('"ask": "drop scarce"')
  const amount = Number(/send total_budget\.amount (\d+)/.exec(suggestion)?.[1])
  const { data: taken } = await agent.create({ ...order, total_budget: { amount, currency: 'USD' } })
  expect(taken.errors).toBeUndefined()
  expect(taken.packages).toHaveLength(2)
})

test('what is wrong with a package of a proposal is said of its product, in the members that were sent', async () => {
  const proposal_id = await firmPlan()
  const { data } = await agent.create({
    proposal_id,
    packages: undefined,
    start_time: '2026-06-01T00:00:00Z',
    end_time: '2026-06-11T00:00:00Z',
    total_budget: { amount: 1000, currency: 'USD' },
  })
  expect(data.adcp_error).toMatchObject({
    code: 'PRODUCT_UNAVAILABLE',
    field: 'proposal_id',
    message: 'plenty is not on sale for this flight',
    suggestion: expect.stringContaining('"ask": "drop plenty"'),
  })
})
