import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Metrics } from '../../src/domain/media-buy/delivery.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { REPORT_DIMENSIONS } from '../../src/operator/reports/delivery-report-shape.ts'
import { rebuildDelivery } from '../../src/operator/reports/rebuild-delivery.ts'
import { showRevenue } from '../../src/operator/reports/revenue.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { reopenDelivery, setDeliverySource } from '../../src/store/ad-serving/delivery-sources.ts'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { settleDelivery } from '../../src/tasks/media-buy/settle-delivery.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs, setTenant } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
/** `simulated`: booked in the simulator; `reported`: of an ad server that reports to the ledger. */
const ids = { simulated: '', reported: '' }

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  const creatives = ['a', 'b'].map((creative_id) => {
    const image = { asset_type: 'image', url: `https://cdn.brand.example/${creative_id}.png`, width: 300, height: 250 }
    return { creative_id, name: creative_id, format_id, assets: { image, click_url } }
  })
  const synced = await agent.run('sync_creatives', { creatives })
  if (synced.isError) throw new Error(JSON.stringify(synced.data))
  const creative_assignments = creatives.map(({ creative_id }) => ({ creative_id, weight: creative_id === 'a' ? 70 : 30 }))
  for (const [name, product_id] of [
    ['simulated', 'news'],
    ['reported', 'sport'],
  ] as const) {
    const packages = [{ product_id, pricing_option_id: 'cpm', budget: 333.33, creative_assignments }]
    const { data } = await agent.create({ packages })
    ids[name] = data.media_buy_id
  }
  await agent.server.store.transaction((tx) => setDeliverySource(tx, agent.tenant, ids.reported, 'ledger'))
  now = new Date('2026-03-20T12:00:00.000Z')
})
afterAll(() => agent.stop())

const store = () => agent.server.store
const spent = (micros: number, impressions: number): Metrics => ({ ...NOTHING, spendMicros: micros, impressions })
const reportRow = (period: string, metrics: Metrics, creative?: string) => ({
  ...metrics,
  lineExternalId: `${ids.reported}-1`,
  period,
  ...(creative !== undefined && { creativeExternalId: creative }),
})
const add = (...rows: ReturnType<typeof reportRow>[]) =>
  store().transaction((tx) => addDelivery(tx, { tenantId: agent.tenant, adServer: 'gam', now }, rows))
const packageOf = async (mediaBuyId: string) => {
  const rows = await store().read.selectFrom('packages').select('package_id').where('media_buy_id', '=', mediaBuyId).execute()
  return rows.map(({ package_id }) => package_id)
}

/** Every report, by every dimension and by two at once. */
async function everyReport() {
  const splits = [...REPORT_DIMENSIONS.map((name) => [name]), ['product', 'day'], ['buyer', 'creative'], ['order', 'day']]
  const reports = []
  for (const by of splits) reports.push(await performAs(operator, agent.tenant, deliveryReport, { by, last: '2026-03-31' }))
  return [reports, await performAs(operator, agent.tenant, showRevenue, { first: '2026-03-08', last: '2026-03-31' })]
}

const unsound = async () => (await inspectStore(store().read)).problems.filter(({ table }) => table.startsWith('delivery'))

it('what an ad server reports is in every report in the same moment, and corrections replace it', async () => {
  expect(await packageOf(ids.reported)).toEqual([`${ids.reported}-1`])
  await add(reportRow('2026-03-05T22', spent(1_000_001, 10), 'one'), reportRow('2026-03-05T23', spent(2_000_002, 20), 'one'))
  await add(reportRow('2026-03-05T23', spent(1_500_000, 15), 'one'), reportRow('2026-03-06T00', spent(7, 1), 'two'))
  const sport = { last: '2026-03-31', product: 'sport' }
  for (const by of REPORT_DIMENSIONS) {
    const { totals } = await performAs(operator, agent.tenant, deliveryReport, { ...sport, by: [by] })
    expect(totals).toMatchObject([{ currency: 'USD', spent: 2.500008, impressions: 26 }])
  }
  const { rows } = await performAs(operator, agent.tenant, deliveryReport, { ...sport, by: ['creative'] })
  expect(rows.map(({ dimensions, spent }) => [dimensions.creative, spent])).toEqual([
    ['one', 2.500001],
    ['two', 0.000007],
  ])
  expect(await unsound()).toEqual([])
})

it('a settled order is in every report as before, to the micro, and its ad server is not asked again', async () => {
  const before = await everyReport()
  expect(JSON.stringify(before)).toContain('"product":"news"},"currency":"USD","impressions":33333')
  const parts = { store: store(), adServers: await operator.services.adServers(), conformance: false }
  expect(await settleDelivery(parts, agent.tenant, { now, open: false })).toBe(1)
  expect(await settleDelivery(parts, agent.tenant, { now, open: false })).toBe(0)
  expect(await everyReport()).toEqual(before)
  expect(await unsound()).toEqual([])
  await store().transaction((tx) => reopenDelivery(tx, agent.tenant, ids.simulated))
  expect(await everyReport()).toEqual(before)
  expect(await unsound()).toEqual([])
})

it('made again from the ledger, the sums are the same', async () => {
  const before = await everyReport()
  expect(await performAs(operator, agent.tenant, rebuildDelivery, {})).toEqual({ time_zone: 'UTC', orders: 1 })
  expect(await everyReport()).toEqual(before)
  expect(await unsound()).toEqual([])
})

it('the doctor finds sums that differ from the ledger', async () => {
  const differ = (by: number) =>
    store().transaction((tx) =>
      tx
        .updateTable('delivery_days')
        .set((e) => ({ spend_micros: e('spend_micros', '+', by) }))
        .where('package_id', '=', `${ids.reported}-1`)
        .where('creative_id', '=', 'two')
        .execute(),
    )
  await differ(1)
  expect((await unsound()).map(({ table }) => table)).toEqual(['delivery_days', 'delivery_totals'])
  await differ(-1)
})

it("days are those of the publisher's time zone", async () => {
  await setTenant(operator, agent.tenant, { timeZone: 'Europe/Berlin' })
  const by = ['day']
  const days = async (product: string) =>
    (await performAs(operator, agent.tenant, deliveryReport, { by, product, last: '2026-03-31' })).rows.map(
      ({ dimensions, spent }) => [dimensions.day, spent],
    )
  // 22:00 UTC is 23:00 in Berlin, 23:00 UTC is the next day.
  expect(await days('sport')).toEqual([
    ['2026-03-05', 1.000001],
    ['2026-03-06', 1.500007],
  ])
  await add(reportRow('2026-03-06T23', spent(5_000_000, 50), 'one'))
  expect((await days('sport')).at(-1)).toEqual(['2026-03-07', 5])
  // The flight of ten days begins at 01:00 in Berlin and ends at 01:00 of an eleventh.
  const news = await days('news')
  expect(news.length).toBe(11)
  expect(Math.round(news.reduce((sum, [, spent]) => sum + Number(spent) * 100, 0))).toBe(33_333)
  expect(await unsound()).toEqual([])
  await setTenant(operator, agent.tenant, { timeZone: 'default' })
})
