import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importDelivery } from '../../../src/ad-serving/reconcile/import-delivery.ts'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { deliveryReport } from '../../../src/operator/reports/delivery-report.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'
import { operatorBeside, performAs, setTenant } from '../../support/operator.ts'

/** Clocks of Berlin go forward at 01:00 UTC on 29 March and back at 01:00 UTC on 25 October 2026. */
const CHANGES = [
  { season: 'spring', first: '2026-03-27', days: 4, day: '2026-03-29', hours: 23 },
  { season: 'autumn', first: '2026-10-23', days: 4, day: '2026-10-25', hours: 25 },
] as const
const HOUR = 3_600_000
/** A cent and a bit: sums show a micro that is lost. */
const MICROS = 10_007

describe.each(CHANGES)('days of a report when clocks change in $season', ({ first, days, day, hours }) => {
  const from = Date.parse(`${first}T00:00:00Z`)
  const now = new Date(from + days * 24 * HOUR + HOUR)
  const server = createMemoryAdServer()
  let agent: MediaBuyAgent
  let mediaBuyId: string
  beforeAll(async () => {
    const before = new Date(from - 48 * HOUR)
    agent = await startMediaBuyAgent([productDocument('news')], {
      backend: { backend: server.backend, drift: 'leave' },
      reconciler: { timing: { everyMs: 3_600_000 } },
    })
    agent.setClock(before.toISOString())
    await setTenant(
      operatorBeside(agent, () => before),
      agent.tenant,
      { timeZone: 'Europe/Berlin' },
    )
    const end = new Date(from + days * 24 * HOUR).toISOString()
    const { data } = await agent.create({ start_time: `${first}T00:00:00Z`, end_time: end })
    mediaBuyId = data.media_buy_id
    const [{ package_id: lineExternalId }] = data.packages
    const { store, services, clock, log } = agent.server
    const parts = { store, clock, log, backends: services.adServers.backends }
    await reconcileDue(parts)
    for (let hour = 0; hour < days * 24; hour++) {
      const period = new Date(from + hour * HOUR).toISOString().slice(0, 13)
      server.delivered.push({ ...NOTHING, lineExternalId, period, impressions: 1, spendMicros: MICROS })
    }
    agent.setClock(now.toISOString())
    await importDelivery(parts, { reportMs: 1, retryMs: 1, callMs: 1_000 })
  })
  afterAll(() => agent?.stop())

  test("people read days of the publisher's zone, one of which is shorter or longer", async () => {
    const context = operatorBeside(agent, () => now)
    const report = await performAs(context, agent.tenant, deliveryReport, { by: ['day'], first, last: '2026-12-31' })
    const counts = new Map(report.rows.map(({ dimensions, impressions }) => [dimensions.day, impressions]))
    expect(counts.get(day)).toBe(hours)
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(days * 24)
    expect(report.totals).toMatchObject([{ impressions: days * 24, spent: (days * 24 * MICROS) / 1_000_000 }])
  })

  test('buyers read UTC days of 24 hours and moments in UTC, with the same sum', async () => {
    const ask = async (range: object) => {
      const request = { account: ACCOUNT, media_buy_ids: [mediaBuyId], include_package_daily_breakdown: true, ...range }
      return (await agent.buyer.call('get_media_buy_delivery', request)).data
    }
    const whole = await ask({})
    expect(whole.media_buy_deliveries[0].totals).toMatchObject({ impressions: days * 24 })
    expect(whole.reporting_period.start).toMatch(/Z$/)
    expect(whole.reporting_period.end).toMatch(/Z$/)
    const breakdown = whole.media_buy_deliveries[0].by_package[0].daily_breakdown
    expect(breakdown).toHaveLength(days)
    for (const each of breakdown) expect(each).toMatchObject({ impressions: 24 })
    const next = new Date(Date.parse(day) + 24 * HOUR).toISOString().slice(0, 10)
    const one = await ask({ start_date: day, end_date: next })
    expect(one.reporting_period).toEqual({ start: `${day}T00:00:00.000Z`, end: `${next}T00:00:00.000Z` })
    expect(one.media_buy_deliveries[0].totals).toMatchObject({ impressions: 24 })
  })

  test("an account is charged for days of the publisher's zone, as its invoices are, and says so", async () => {
    const period = { start: day, end: day }
    const { data } = await agent.buyer.call('get_account_financials', { account: ACCOUNT, period })
    expect(data).toMatchObject({ timezone: 'Europe/Berlin', period, spend: { total_spend: (hours * MICROS) / 1_000_000 } })
  })
})
