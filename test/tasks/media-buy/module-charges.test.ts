import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { importReport } from '../../../src/ad-serving/reconcile/import-report.ts'
import { pricedRows } from '../../../src/ad-serving/reconcile/module-charges.ts'
import type { DeliveryRow } from '../../../src/domain/ad-serving/delivery-row.ts'
import type { LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { currentDelivery } from '../../../src/store/ad-serving/delivery-ledger.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'

let agent: MediaBuyAgent
afterEach(() => agent.stop())

const CPC = { pricing_option_id: 'cpc', pricing_model: 'cpc' as const, fixed_price: 4.19, currency: 'USD' }

test('a line on a module is charged its counts at the booked price, whatever the module says, and the log says so once', async () => {
  const server = createMemoryAdServer()
  const used = { backend: server.backend, drift: 'heal' as const, isModule: true }
  agent = await startMediaBuyAgent([productDocument('news', { pricing_options: [CPC], format_ids: [] })], {
    backend: used,
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const packages = [{ product_id: 'news', pricing_option_id: 'cpc', budget: 12_345.67 }]
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
  const { data, isError } = await agent.create({ idempotency_key: randomUUID(), packages, ...flight })
  expect(isError).toBe(false)
  const [{ package_id: lineExternalId }] = data.packages
  const row = { ...NOTHING, lineExternalId, impressions: 100_000 }
  server.delivered.push(
    { ...row, period: '2026-03-02', clicks: 856, spendMicros: 136_000_000_023 },
    { ...row, period: '2026-03-03', clicks: 10 },
    { ...row, period: '2026-03-04', clicks: 1, spendMicros: 999_000_000 },
  )
  // What the ad server reports of lines that it has.
  server.orders.push({
    key: { tenantId: agent.tenant, externalId: data.media_buy_id },
    lines: [{ externalId: lineExternalId }],
  } as never)
  const said: unknown[] = []
  const log = { info: () => undefined, error: () => undefined, warn: (facts: unknown) => said.push(facts) }
  const { store } = agent.server
  const clock = () => new Date('2026-03-12T00:00:00Z')
  const ask = { tenantId: agent.tenant, adServer: 'memory', mediaBuyIds: [data.media_buy_id], since: '2026-03-01', callMs: 5000 }
  const backends = () => new Map([['memory', used]])
  await importReport({ store, clock, backends, log }, ask)
  const rows = await currentDelivery(store.read, agent.tenant, [lineExternalId])
  expect(rows.map(({ period, spendMicros }) => [period, spendMicros]).sort()).toEqual([
    ['2026-03-02', 3_586_640_000],
    ['2026-03-03', 41_900_000],
    ['2026-03-04', 4_190_000],
  ])
  expect(said).toEqual([
    expect.objectContaining({
      line: lineExternalId,
      period: '2026-03-02',
      spendMicros: 136_000_000_023,
      chargedMicros: 3_586_640_000,
    }),
  ])

  // Prices that counts do not say, without a ledger of them.
  const settings = (price: LineSettings['price']): LineSettings => ({
    ...{ productId: 'news', startsAt: '2026-03-02T00:00:00Z', endsAt: '2026-03-12T00:00:00Z', budgetMicros: 50_000_000 },
    ...{ price, goalImpressions: null, priority: 'guaranteed', pacing: 'even', targeting: null },
  })
  const flat = settings({ model: 'flat_rate', basis: 'fixed', rateMicros: 1_000_000_000 })
  const lines = new Map([
    ['flat', flat],
    ['hours', flat],
    ['actions', settings({ model: 'cpa', basis: 'fixed', rateMicros: 5_000_000 })],
  ])
  const priced = async (rowsOf: readonly Partial<DeliveryRow>[]) => {
    const report = {
      tenantId: agent.tenant,
      lines,
      isTotal: false,
      now: new Date('2026-04-01'),
      calendar: localCalendar('UTC'),
      onDifference: () => undefined,
    }
    const found = await pricedRows(
      store.read,
      report,
      rowsOf.map((each) => ({ ...NOTHING, lineExternalId: '', period: '2026-03-02', ...each })),
    )
    return found.map(({ spendMicros }) => spendMicros)
  }
  expect(
    await priced([
      { lineExternalId: 'flat', impressions: 7, spendMicros: 1 },
      { lineExternalId: 'flat', period: '2026-03-03' },
      { lineExternalId: 'hours', period: '2026-03-02T10', impressions: 7, spendMicros: 900_000_000 },
      { lineExternalId: 'hours', period: '2026-03-02T11', impressions: 7, spendMicros: 900_000_000 },
      { lineExternalId: 'actions', conversions: 2, spendMicros: 10_000_000 },
      { lineExternalId: 'actions', period: '2026-03-03', conversions: 200, spendMicros: 1_000_000_000 },
    ]),
  ).toEqual([100_000_000, 0, 900_000_000, 100_000_000, 10_000_000, 40_000_000])
})
