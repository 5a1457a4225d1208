import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { recordPayment } from '../../src/operator/billing/invoice-payments.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs, setTenant } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  await setTenant(operator, agent.tenant, { timeZone: 'America/New_York' })
  expect((await agent.create({ start_time: '2026-03-02T12:00:00Z', end_time: '2026-03-20T12:00:00Z' })).isError).toBe(false)
})
afterAll(() => agent.stop())

it('an invoice that is paid on its day is paid on that day of the publisher, also in the evening, when it is the next one in UTC', async () => {
  agent.setClock('2026-04-02T02:00:00Z')
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  const [{ invoice_id: invoice, payable } = { invoice_id: '', payable: 0 }] = invoices
  await performAs(operator, agent.tenant, recordPayment, { invoice, amount: String(payable), date: '2026-04-01' })
  const shown = await performAs(operator, agent.tenant, showInvoice, { invoice })
  expect([shown.issued_on, shown.state, shown.paid_on]).toEqual(['2026-04-01', 'paid', '2026-04-01'])
})
