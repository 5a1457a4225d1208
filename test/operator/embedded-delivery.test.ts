import { afterAll, beforeAll, expect, it } from 'vitest'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { showOrderRecords } from '../../src/operator/orders/order-records.ts'
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

it('errors of video players are counted by their code, sums that are made again included, and cost nothing', async () => {
  const { agent, operator, mediaBuyId, packageId } = order
  const before = await order.readers.buyer()
  await order.count(2, 'file_', 'error.401')
  await order.count(5, 'late_', 'error.402')
  // As earlier versions counted them, and of a code that is not defined.
  await order.count(1, 'old_', 'error')
  await order.count(3, 'unknown_', 'error.900')
  await order.count(1, 'odd_', 'error.777')
  const row = (code: string, errors: number, meaning: string) => ({
    package_id: packageId,
    creative_id: 'hc_1',
    code,
    meaning,
    errors,
  })
  const expected = [
    row('402', 5, 'time-out of the media file'),
    row('900', 4, 'undefined error'),
    row('401', 2, 'file not found'),
    row('777', 1, 'not defined by VAST 4.2'),
  ]
  const shown = async () => (await showOrderRecords(operator, agent.tenant, mediaBuyId)).errors
  expect(await shown()).toEqual(expected)
  await order.remove('late_')
  expect(await shown()).toEqual(expected.slice(1))
  expect(await order.readers.buyer()).toEqual(before)
})
