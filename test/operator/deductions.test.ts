import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCharge, showCharges, takeChargeBack } from '../../src/operator/billing/charges.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms, showOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let order: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('quarter', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  const packages = [{ product_id: 'quarter', pricing_option_id: 'cpm', budget: 1000 }]
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
  order = (await agent.create({ ...flight, packages })).data.media_buy_id
  agent.setClock('2026-04-02T12:00:00Z')
})
afterAll(() => agent.stop())

const terms = (values: object) => performAs(operator, agent.tenant, setOrderTerms, { order, ...values })
const credit = (amount: string) =>
  performAs(operator, agent.tenant, addCharge, { order, amount, credit: true, reason: 'goodwill' })
const owed = async () => (await performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })).invoices

it('a discount may be changed as one likes while nothing is credited', async () => {
  expect(await terms({ discount_basis_points: 10_000 })).toMatchObject({ discount_basis_points: 10_000 })
  expect(await terms({ discount_basis_points: 0 })).toMatchObject({ discount_basis_points: 0 })
  expect(await owed()).toMatchObject([{ total: 1000 }])
})

it('a discount that leaves less than what is credited is refused with the figures, up to the last cent', async () => {
  await credit('500')
  await expect(terms({ discount_basis_points: 6000 })).rejects.toMatchObject({
    ...{ code: 'INVALID_STATE', field: 'discount_basis_points' },
    message: `with 60 % discount and 0 % commission order ${order} costs 400.00 USD, and 500.00 USD of it is credited already, 100.00 USD too much; choose less, or take a credit back first (billing take-back-charge)`,
  })
  await expect(terms({ discount_basis_points: 5001 })).rejects.toMatchObject({ code: 'INVALID_STATE' })
  expect(await performAs(operator, agent.tenant, showOrderTerms, { order })).toMatchObject({ discount_basis_points: 0 })
  expect(await terms({ discount_basis_points: 5000 })).toMatchObject({ discount_basis_points: 5000 })
  // The credit is of April, whose invoice has nothing else.
  expect(await owed()).toMatchObject([{ total: 500 }])
})

it('so is a commission', async () => {
  await terms({ discount_basis_points: 4000 })
  await expect(terms({ commission_basis_points: 2000 })).rejects.toMatchObject({
    ...{ code: 'INVALID_STATE', field: 'commission_basis_points' },
    message: expect.stringContaining('with 40 % discount and 20 % commission'),
  })
  expect(await terms({ commission_basis_points: 1000 })).toMatchObject({ commission_basis_points: 1000 })
})

it('other terms are changed meanwhile, and after the credit is taken back any discount', async () => {
  expect(await terms({ purchase_order: 'PO 7' })).toMatchObject({ purchase_order: 'PO 7' })
  const [charge] = (await performAs(operator, agent.tenant, showCharges, { order })).items
  await performAs(operator, agent.tenant, takeChargeBack, { charge: charge?.charge_id, reason: 'wrong' })
  expect(await terms({ discount_basis_points: 9000 })).toMatchObject({ discount_basis_points: 9000 })
})
