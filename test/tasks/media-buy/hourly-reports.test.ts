import { hash, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { singleAdServer } from '../../../src/ad-serving/ad-servers.ts'
import { createSimulator } from '../../../src/ad-serving/simulator/simulator.ts'
import { countInZone } from '../../../src/tasks/media-buy/settle-delivery.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

const ZONE = 'America/New_York'
const LOCAL = { period_duration: 'P1D', alignment: 'source_timezone', delivery_sla: 'PT4H' }
const ALL = { pagination: { max_results: 100 } }

interface Offering {
  readonly offering_id: string
  readonly supported_finality: readonly string[]
  readonly reporting_profile: { readonly id: string }
  readonly [member: string]: unknown
}

describe.skipIf(!LINES.includes('3.2'))('reports by the hour and by days of the publisher, of a live buyer', () => {
  let agent: MediaBuyAgent
  let media_buy_id: string
  let offerings: readonly Offering[]

  const ask = async (task: string, args: object = {}) =>
    (await agent.buyer.call(task, { adcp_version: '3.2', idempotency_key: randomUUID(), account: ACCOUNT, ...args })).data
  const status = (view: string, id: string, more: object = {}) =>
    ask('get_reporting_status', { view, delivery_config_ids: [id], ...more })
  const exact = (reporting_revision_id: string) => ask('get_media_buy_delivery', { reporting_revision_id })
  const offered = async () =>
    (await ask('get_adcp_capabilities', { account: undefined })).media_buy.reporting_delivery.offerings as readonly Offering[]
  const config = (delivery_config_id: string, id: string, more: object = {}) => {
    const found = offerings.find(({ offering_id }) => offering_id === id)
    if (!found) throw new Error(`${id} is not offered`)
    const { feed_purpose, report_definition_id, reporting_profile, schedule, supported_finality, reconciliation_mode } = found
    return {
      ...{ delivery_config_id, delivery_config_version: 1, offering_id: id, feed_purpose, report_definition_id, schedule },
      ...{ active: true, reporting_profile: reporting_profile.id, scope: { all_media_buys: true }, coverage_requirement: 'full' },
      ...{ required_finality: supported_finality[0], reconciliation_mode, ...more },
    }
  }
  const configure = async (reporting_delivery_configs: readonly object[]) =>
    (await ask('sync_accounts', { account: undefined, accounts: [{ account: ACCOUNT, reporting_delivery_configs }] })).accounts[0]

  beforeAll(async () => {
    // Without formats there is no creative to wait for: the simulator delivers from the start of the flight.
    agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] }, { daily_capacity: 10_000_000 })], {
      contracts,
      flags: { publicUrl: 'https://seller.example' },
    })
    await countInZone(agent.server, agent.tenant, ZONE)
    ;({ media_buy_id } = (await agent.create({ end_time: '2026-03-22T00:00:00Z' })).data)
    offerings = await offered()
  }, 120_000)
  afterAll(() => agent?.stop())

  test('are configured as they are offered, and refused with what to send', async () => {
    expect(offerings.find(({ offering_id: id }) => id === 'delivery-hourly-snapshot')).toMatchObject({
      schedule: { period_duration: 'PT1H', alignment: 'utc', delivery_sla: 'PT1H' },
    })
    const wrong = { schedule: { ...LOCAL, period_timezone: 'UTC' } }
    const refused = await configure([config('local', 'delivery-local-daily-snapshot', wrong)])
    expect(refused.errors[0]).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
    expect(refused.errors[0].message).toContain(`"period_timezone":"${ZONE}"`)
    const answer = await configure([
      config('hourly', 'delivery-hourly-snapshot'),
      config('local', 'delivery-local-daily-snapshot', { schedule: { ...LOCAL, period_timezone: ZONE } }),
      config('daily', 'delivery-daily-snapshot'),
    ])
    expect(answer.reporting_delivery_configs).toMatchObject([{ state: 'ready' }, { state: 'ready' }, { state: 'ready' }])
  })

  test('are owed for each hour and each day, and add up to the same delivery', async () => {
    // The clocks of New York go forward on 8 March; the flight begins at 00:00 UTC on 2 March.
    agent.setClock('2026-03-03T05:20:00Z')
    const hours = await status('periods', 'hourly', ALL)
    // The first begins with the configuration, at noon of the day before the flight.
    expect(hours.periods).toHaveLength(41)
    const first = hours.periods.find(({ period }: { period: { start: string } }) => period.start === '2026-03-02T00:00:00.000Z')
    expect(first).toMatchObject({
      ...{ period: { end: '2026-03-02T01:00:00.000Z', source_timezone: 'UTC' }, expected_at: '2026-03-02T02:00:00.000Z' },
      ...{ schedule: { period_duration: 'PT1H' }, media_buy_ids: [media_buy_id], health: 'complete', revision_count: 1 },
      report_definition_id: 'media_buy_delivery_hourly.v1',
    })
    const counted = new Map<string, number>()
    for (const { reporting_revision_id: id, period, row_count } of hours.revisions) {
      const { reporting_rows: rows } = await exact(id)
      expect(rows).toHaveLength(row_count)
      for (const row of rows) {
        expect(Object.keys(row).sort()).toEqual(['dimensions', 'impressions', 'metrics', 'period_end', 'period_start'])
        expect(Object.keys(row.metrics).sort()).toEqual(['clicks', 'impressions'])
        counted.set(period.start, row.metrics.impressions)
      }
    }
    const between = (from: string, until: string) =>
      [...counted].reduce((sum, [start, impressions]) => (start >= from && start < until ? sum + impressions : sum), 0)
    const rowOf = async (id: string, start: string) => {
      const { revisions } = await status('periods', id, ALL)
      const found = revisions.find(({ period }: { period: { start: string } }) => period.start === start)
      return (await exact(found.reporting_revision_id)).reporting_rows[0]
    }
    const utcDay = await rowOf('daily', '2026-03-02T00:00:00.000Z')
    expect(utcDay.metrics.impressions).toBeGreaterThan(0)
    expect(between('2026-03-02T00', '2026-03-03T00')).toBe(utcDay.metrics.impressions)
    const localDay = await rowOf('local', '2026-03-02T05:00:00.000Z')
    expect(between('2026-03-02T05', '2026-03-03T05')).toBe(localDay.metrics.impressions)
    expect(localDay).toMatchObject({ period_end: '2026-03-03T05:00:00.000Z', currency: 'USD' })
    expect(localDay.metrics).not.toHaveProperty('conversions')
    expect(localDay.metrics.spend).toBeGreaterThan(0)
  })

  test('follow the clocks of the publisher', async () => {
    agent.setClock('2026-03-09T05:00:00Z')
    const period = { start: '2026-03-07T05:00:00Z', end: '2026-03-09T05:00:00Z' }
    expect((await status('periods', 'local', { period })).periods).toMatchObject([
      { period: { start: '2026-03-07T05:00:00.000Z', end: '2026-03-08T05:00:00.000Z', source_timezone: ZONE } },
      {
        period: { start: '2026-03-08T05:00:00.000Z', end: '2026-03-09T04:00:00.000Z', source_timezone: ZONE },
        ...{ expected_at: '2026-03-09T08:00:00.000Z', schedule: { alignment: 'source_timezone', period_timezone: ZONE } },
      },
    ])
  })

  test('have the digest of their rows, and documents that are served byte for byte', async () => {
    const { revisions } = await status('periods', 'hourly', {
      period: { start: '2026-03-02T00:00:00Z', end: '2026-03-02T01:00:00Z' },
    })
    const [revision] = revisions
    const { reporting_rows, reporting_revision_binding: binding } = await exact(revision.reporting_revision_id)
    const { content_sha256, ...rest } = binding
    expect(hash('sha256', canonicalize({ ...rest, reporting_rows }) ?? '', 'hex')).toBe(content_sha256)
    expect(revision.control_totals).toMatchObject([{ name: 'impressions', value: String(reporting_rows[0].impressions) }])
    for (const [uri, digest] of [
      [revision.schema_uri, revision.schema_sha256],
      [revision.report_definition_uri, revision.report_definition_sha256],
    ]) {
      const text = await (await fetch(new URL(new URL(uri).pathname, agent.url))).text()
      expect(hash('sha256', text, 'hex')).toBe(digest)
    }
  })

  test('of hours are final after a week, and late by the hour', async () => {
    agent.setClock('2026-03-09T01:20:00Z')
    const period = { start: '2026-03-02T00:00:00Z', end: '2026-03-02T01:00:00Z' }
    const { revisions, periods } = await status('periods', 'hourly', { period })
    expect(revisions.map(({ finality }: { finality: string }) => finality)).toEqual(['snapshot', 'official'])
    expect(periods).toMatchObject([{ health: 'complete', required_finality: 'snapshot' }])
    expect(await status('summary', 'hourly')).toMatchObject({
      ...{ health: 'healthy', scope: { period_end: '2026-03-09T01:00:00.000Z' } },
      obligation_counts: { delayed: 0, action_required: 0 },
    })
  })

  test('are not offered where an ad server counts by day, which is said to who wants them', async () => {
    const { reportHours: _hours, ...byDay } = createSimulator()
    const { adServers } = agent.server.services
    const before = adServers.of
    Object.assign(adServers, { of: singleAdServer(byDay).of })
    const hourly = config('more', 'delivery-hourly-snapshot')
    expect((await offered()).map(({ offering_id: id }) => id).filter((id) => /hourly|local/.test(id))).toEqual([])
    const [error] = (await configure([hourly])).errors
    expect(error).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
    expect(error.message).toContain('counts by day')
    Object.assign(adServers, { of: before })
  })
})
