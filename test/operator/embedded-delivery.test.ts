import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { importDelivery } from '../../src/ad-serving/reconcile/import-delivery.ts'
import type { ReconciledBackend } from '../../src/ad-serving/reconciled-backends.ts'
import { importDelivery as importServerReports } from '../../src/operator/ad-servers/order-acts.ts'
import { changeAdServer, dropAdServer, setUpAdServer } from '../../src/operator/ad-servers/setting-acts.ts'
import { importReports, syncOrders } from '../../src/operator/ad-servers/sync-orders.ts'
import { showOrderRecords } from '../../src/operator/orders/order-records.ts'
import { expectOneFigure, expectTwoCurrencies, startEmbeddedOrder } from '../support/embedded-delivery.ts'
import { acting, listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let order: Awaited<ReturnType<typeof startEmbeddedOrder>>
beforeAll(async () => {
  order = await startEmbeddedOrder()
})
afterAll(() => order?.stop())

it('delivery of the embedded ad server is one figure for buyer, publisher, charges and revenue', () => expectOneFigure(order))

it('two currencies of one account are never added up: reports, revenue, invoices', async () => {
  const two = await startEmbeddedOrder()
  try {
    await expectTwoCurrencies(two)
  } finally {
    await two.stop()
  }
})

it('an import by hand finds nothing new after a read', async () => {
  const { agent } = order
  const operator = operatorBeside(agent, () => new Date('2026-03-05T02:45:00Z'))
  const imported = await importReports(acting(operator, agent.tenant), { tenantId: agent.tenant, since: '2026-01-01' })
  expect(imported).toMatchObject([{ ad_server: 'embedded', orders: 1, rows: 0 }])
})

it('acts on an order that lies in no ad server, and at an ad server that is none, are refused by name', async () => {
  const { agent, operator } = order
  const tenantId = agent.tenant
  const none = { code: 'REFERENCE_NOT_FOUND', message: expect.stringContaining('mb_mistyped lies in no reconciled ad server') }
  await expect(syncOrders(acting(operator, agent.tenant), { tenantId, mediaBuyId: 'mb_mistyped' })).rejects.toMatchObject(none)
  await expect(
    importReports(acting(operator, agent.tenant), { tenantId, mediaBuyId: 'mb_mistyped', since: '2026-01-01' }),
  ).rejects.toMatchObject(none)
  await expect(performAs(operator, agent.tenant, importServerReports, { since: 'yesterday' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'since',
    message: expect.stringContaining('since must be a day of the calendar'),
  })
  await expect(syncOrders(acting(operator, agent.tenant), { tenantId, adServer: 'embeded' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
    message: expect.stringContaining('no reconciled ad server "embeded"; there are: embedded'),
  })
})

it('the audit log names the ad server that was added and changed', async () => {
  const { agent, operator } = order
  const options = { products: { kitchen_video: { units: ['Kitchen'] } } }
  await performAs(operator, agent.tenant, setUpAdServer, { name: 'sheets', type: 'manual', products: ['kitchen_video'], options })
  await performAs(operator, agent.tenant, changeAdServer, { name: 'sheets', drift: 'heal' })
  await agent.server.audit.settled()
  // The clock of this publisher stands still, so entries of the demo's imports may be newer than these.
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 50 })
  const changes = entries.filter(({ task }) => task.startsWith('adservers.'))
  expect(changes.map(({ task, subject }) => `${task} ${subject}`).sort()).toEqual([
    'adservers.add sheets',
    'adservers.set sheets',
  ])
  await performAs(operator, agent.tenant, dropAdServer, { name: 'sheets' })
})

/** The same publisher with a second ad server, whose orders come first. */
async function besideAnother(report: AdServerBackend['report']) {
  const { agent, operator, mediaBuyId } = order
  const { store, services, clock, log } = agent.server
  const [embedded] = services.adServers.backends(agent.tenant).values()
  if (!embedded) throw new Error('there is no embedded ad server')
  const own = await store.read.selectFrom('ad_server_orders').selectAll().where('media_buy_id', '=', mediaBuyId).execute()
  await store.transaction(async (tx) => {
    const rows = own.slice(0, 1).map((row) => ({ ...row, ad_server: 'another', attempts: 5, imports: 0 }))
    await tx.insertInto('ad_server_orders').values(rows).execute()
    await tx.updateTable('ad_server_orders').set({ report_at: '2026-03-01T00:00:00.000Z' }).execute()
    await tx.updateTable('ad_server_orders').set({ report_at: '' }).where('ad_server', '=', 'another').execute()
  })
  const another: ReconciledBackend = { backend: { ...embedded.backend, report }, drift: 'leave' }
  const backends = () => new Map([...services.adServers.backends(agent.tenant), ['another', another] as const])
  const adServers = { ...services.adServers, backends }
  return {
    parts: { store, clock, log, backends },
    operator: { ...operator, services: { ...operator.services, adServers: async () => adServers } },
    gone: () => store.transaction((tx) => tx.deleteFrom('ad_server_orders').where('ad_server', '=', 'another').execute()),
  }
}

it('an import by hand goes on after an ad server that is away, and says which it was', async () => {
  const { operator, gone } = await besideAnother(() => Promise.reject(new Error('the connection failed')))
  await order.count(3, 'by_hand_')
  const reason = expect.stringMatching(/^another does not answer: the connection failed; /)
  expect(
    await importReports(acting(operator, order.agent.tenant), { tenantId: order.agent.tenant, since: '2026-01-01' }),
  ).toEqual([
    { ad_server: 'another', orders: 1, rows: 0, reason },
    { ad_server: 'embedded', orders: 1, rows: 1, reason: null },
  ])
  await gone()
})

it('the import in the background does not wait for an ad server that does not answer', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { parts, gone } = await besideAnother(() => held.then(() => ({ rows: [] })))
  await order.count(3, 'background_')
  const before = (await order.revisions()).length
  const imported = importDelivery(parts, { reportMs: 60_000, retryMs: 1, callMs: 60_000 })
  await expect.poll(async () => (await order.revisions()).length, { timeout: 60_000 }).toBe(before + 1)
  answer()
  await imported
  await gone()
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
  const shown = async () => (await performAs(operator, agent.tenant, showOrderRecords, { order: mediaBuyId })).errors
  expect(await shown()).toEqual(expected)
  await order.remove('late_')
  expect(await shown()).toEqual(expected.slice(1))
  expect(await order.readers.buyer()).toEqual(before)
})
