import { afterAll, beforeAll, expect, it } from 'vitest'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { expectOneFigure, startEmbeddedOrder } from '../support/embedded-delivery.ts'
import { operatorBeside } from '../support/operator.ts'

let order: Awaited<ReturnType<typeof startEmbeddedOrder>>
beforeAll(async () => {
  order = await startEmbeddedOrder()
})
afterAll(() => order?.stop())

it('delivery of the embedded ad server is one figure for buyer, publisher, charges and revenue', () => expectOneFigure(order))

it('an import by hand finds nothing new after a read', async () => {
  const { agent } = order
  const operator = operatorBeside(agent, () => new Date('2026-03-05T02:45:00Z'))
  const imported = await importReports(operator, { tenantId: agent.tenant, since: '2026-01-01' })
  expect(imported).toMatchObject([{ ad_server: 'embedded', orders: 1, rows: 0 }])
})
