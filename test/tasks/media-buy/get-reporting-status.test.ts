import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { LINES } from '../../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../../support/reported-account.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe.skipIf(!LINES.includes('3.2'))('reports of delivery', () => {
  let reported: ReportedAccount
  let media_buy_id: string
  let account_id: string
  let capability: ReportedAccount['capability']
  const ask: ReportedAccount['ask'] = (...asked) => reported.ask(...asked)
  const status: ReportedAccount['status'] = (...asked) => reported.status(...asked)
  const config: ReportedAccount['config'] = (...asked) => reported.config(...asked)
  const configure: ReportedAccount['configure'] = (configs) => reported.configure(configs)

  beforeAll(async () => {
    reported = await startReportedAccount()
    ;({ media_buy_id, account_id, capability } = reported)
  }, 120_000)
  afterAll(() => reported?.agent.stop())

  test('are declared with their documents, which are served byte for byte', async () => {
    expect(capability).toMatchObject({ supported: true, reliable_reporting_version: '1.0', status_task: 'get_reporting_status' })
    const [offering] = capability.offerings as [{ [name: string]: string }]
    const profile = offering.reporting_profile as unknown as { schema_uri: string; schema_sha256: string }
    for (const [uri, digest] of [
      [offering.report_definition_uri, offering.report_definition_sha256],
      [profile.schema_uri, profile.schema_sha256],
    ]) {
      const { pathname, origin } = new URL(String(uri))
      expect(origin).toBe('https://seller.example')
      const response = await fetch(new URL(pathname, reported.agent.url))
      expect(response.status).toBe(200)
      expect(hash('sha256', await response.text(), 'hex')).toBe(digest)
    }
  })

  test('are none before a buyer configures them, and what is not the buyer’s is not there', async () => {
    expect(await status('summary')).toMatchObject({ status: 'completed', health: 'complete', obligation_counts: { total: 0 } })
    const absent = { status: 'failed', failure_kind: 'lookup_unavailable', errors: [{ code: 'NOT_FOUND' }] }
    expect(await status('summary', { delivery_config_ids: ['nobody'] })).toMatchObject(absent)
    expect(await status('periods', { media_buy_ids: ['mb_of_another'] })).toMatchObject(absent)
    expect(await status('revision', { reporting_revision_id: 'reporting-revision.none' })).toMatchObject(absent)
  })

  test('that are not offered exactly so are refused, with what to send', async () => {
    const refused = async (more: object) => (await configure([config('snapshot', more)])).errors[0]
    expect(await refused({ offering_id: 'delivery-hourly' })).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
    expect((await refused({ feed_purpose: 'analytics' })).message).toContain('send "pacing"')
    expect((await refused({ schedule: { period_duration: 'PT1H', alignment: 'utc', delivery_sla: 'PT6H' } })).message).toContain(
      'P1D',
    )
    expect(await refused({ scope: { media_buy_ids: ['mb_of_another'] } })).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND' })
    expect((await configure([config('snapshot'), config('snapshot')])).errors[0].message).toContain('twice')
  })

  test('are owed for each day, published, restated, final, and read exactly', async () => {
    const ready = await configure([config('snapshot'), config('official')])
    expect(ready.reporting_delivery_configs).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
    const { data: listed } = await ask('list_accounts')
    expect(listed.accounts[0].reporting_delivery_configs).toHaveLength(2)
    expect(await status('summary')).toMatchObject({ health: 'waiting', obligation_counts: { total: 0 } })

    reported.goTo(Date.parse('2026-03-18T01:00:00Z'))
    const baseline = await status('periods')
    expect(baseline.periods).toMatchObject([
      { period: { start: '2026-03-17T00:00:00.000Z' }, feed_purpose: 'analytics', health: 'waiting', revision_count: 1 },
      { period: { start: '2026-03-17T00:00:00.000Z' }, media_buy_ids: [media_buy_id], health: 'complete', adjustment_count: 0 },
    ])
    expect(baseline.revisions).toMatchObject([{ finality: 'snapshot' }])
    expect(await status('periods', { health: ['complete'] })).toMatchObject({ periods: [{ feed_purpose: 'pacing' }] })

    reported.goTo(Date.parse('2026-03-25T00:30:00Z'))
    const repaired = await status('periods', { changes_after: baseline.changes_checkpoint, pagination: { max_results: 100 } })
    const finals = repaired.revisions.filter(({ finality }: { finality: string }) => finality === 'official')
    expect(finals).toMatchObject([
      {
        period: { start: '2026-03-17T00:00:00.000Z' },
        finality_basis: 'contractual_cutoff',
      },
    ])
    expect(finals[0]).not.toHaveProperty('supersedes_reporting_revision_id')
    expect(await status('summary', { feed_purposes: ['pacing'] })).toMatchObject({
      health: 'healthy',
      obligation_counts: { complete: 8 },
    })
    const period = { start: '2026-03-17T00:00:00Z', end: '2026-03-18T00:00:00Z' }
    expect(await status('summary', { period })).toMatchObject({
      health: 'complete',
      scope: { scope_closed: true },
      obligation_counts: { total: 2, complete: 2 },
      next_expected_at: '2026-03-26T00:00:00.000Z',
    })

    const [official] = finals
    const one = await status('revision', { reporting_revision_id: official.reporting_revision_id })
    expect(one.revision).toEqual(official)
    const exact = {
      account: { account_id },
      reporting_revision_id: official.reporting_revision_id,
      pagination: { max_results: 1 },
    }
    const { data: page } = await ask('get_media_buy_delivery', exact)
    expect(page.reporting_revision).toEqual(official)
    const binding = {
      reporting_revision_id: official.reporting_revision_id,
      row_count: official.row_count,
      control_totals: official.control_totals,
      reporting_rows: page.reporting_rows,
    }
    expect(hash('sha256', canonicalize(binding)!, 'hex')).toBe(official.revision_content_sha256)
    expect(await ask('get_media_buy_delivery', { ...exact, start_date: '2026-03-17' })).toMatchObject({ isError: true })
    const other = { ...exact, reporting_revision_id: 'reporting-revision.other' }
    expect((await ask('get_media_buy_delivery', other)).data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })

  test('walk in pages over one snapshot', async () => {
    const whole = await status('periods', { pagination: { max_results: 100 } })
    const seen: string[] = []
    const starts: string[] = []
    let cursor: string | undefined
    do {
      const page = await status('periods', { pagination: { max_results: 3, ...(cursor && { cursor }) } })
      expect(page.pagination.total_count).toBe(whole.pagination.total_count)
      starts.push(...page.periods.map((each: { period: { start: string } }) => each.period.start))
      seen.push(...page.periods.map((each: { reporting_obligation_id: string }) => each.reporting_obligation_id))
      seen.push(...page.revisions.map((each: { reporting_revision_id: string }) => each.reporting_revision_id))
      cursor = page.pagination.cursor
    } while (cursor)
    expect(new Set(seen).size).toBe(whole.pagination.total_count)
    expect(seen).toHaveLength(whole.pagination.total_count)
    expect(new Set(starts).size).toBeGreaterThan(1)
    expect(starts).toEqual(starts.toSorted())
  })

  test('end at the next boundary, and begin again as another version', async () => {
    const left = await configure([config('official')])
    const states = left.reporting_delivery_configs.map(
      (each: { state: string; configuration: { delivery_config_id: string } }) => [
        each.configuration.delivery_config_id,
        each.state,
      ],
    )
    expect(states).toEqual([
      ['official', 'ready'],
      ['snapshot', 'inactive'],
    ])
    expect((await configure([config('official'), config('snapshot')])).errors[0].message).toContain('version 2')
    const changed = config('official', { scope: { media_buy_ids: [media_buy_id] } })
    expect((await configure([changed])).errors[0]).toMatchObject({ code: 'CONFLICT' })
    const again = await configure([config('official'), config('snapshot', { delivery_config_version: 2 })])
    expect(again.reporting_delivery_configs).toHaveLength(3)
    expect((await configure([])).reporting_delivery_configs.map(({ state }: { state: string }) => state)).not.toContain('ready')
  })

  test('are late by the schedule while an ad server does not report, then need somebody, and come when it does', async () => {
    await configure([config('snapshot', { delivery_config_id: 'late' })])
    const { adServers } = reported.agent.server.services
    const { of } = adServers
    const away = () => Promise.reject(new AdcpError('SERVICE_UNAVAILABLE', 'the ad server is away'))
    Object.assign(adServers, {
      of: (...asked: Parameters<typeof of>) => Object.create(of(...asked), { reportDelivery: { value: away } }),
    })
    const end = Math.ceil(reported.now() / DAY) * DAY + DAY
    const period = { start: new Date(end - DAY).toISOString(), end: new Date(end).toISOString() }
    const healthAt = async (at: number) => {
      reported.goTo(at)
      const { health, issues } = await status('summary', { delivery_config_ids: ['late'], period })
      return [health, issues.length]
    }
    expect(await healthAt(end + 2 * HOUR)).toEqual(['waiting', 0])
    expect(await healthAt(end + 7 * HOUR)).toEqual(['delayed', 1])
    expect(await healthAt(end + 31 * HOUR)).toEqual(['action_required', 1])
    Object.assign(adServers, { of })
    expect(await healthAt(end + 32 * HOUR)).toEqual(['complete', 0])
  })

  test('are not asked of the ad servers again for every page, but after some minutes', async () => {
    const { adServers } = reported.agent.server.services
    const { of } = adServers
    let asked = 0
    const counting = async () => {
      asked += 1
      return []
    }
    Object.assign(adServers, {
      of: (...args: Parameters<typeof of>) => Object.create(of(...args), { reportDelivery: { value: counting } }),
    })
    reported.goTo(reported.now() + 2 * HOUR)
    await Promise.all([status('summary'), status('periods')])
    await status('summary')
    expect(asked).toBe(1)
    reported.goTo(reported.now() + HOUR / 10)
    await status('summary')
    expect(asked).toBe(2)
    Object.assign(adServers, { of })
  })

  test('say whether a request changed them; a fault of one names what it may be', async () => {
    const wanted = [config('official', { delivery_config_id: 'once' })]
    expect((await configure(wanted)).action).toBe('updated')
    expect((await configure(wanted)).action).toBe('unchanged')
    const { data } = await ask('sync_accounts', { accounts: [{ account: { account_id }, reporting_delivery_configs: [{}] }] })
    expect(data.adcp_error.message).toContain('reconciliation_mode is required: one of: delivery_only, consumer_receipt')
    expect(data.adcp_error.message).toContain('required_finality is required: one of: snapshot, official')
  })

  test('may change any number of times: what was owed no report is forgotten, what was is kept', async () => {
    for (let version = 1; version <= 70; version += 1) {
      const changed = config('snapshot', { delivery_config_id: 'often', delivery_config_version: version })
      expect((await configure([changed])).errors).toBeUndefined()
    }
    const { reporting_delivery_configs: all } = await configure([])
    expect(all).toHaveLength(16)
    expect(await status('periods', { delivery_config_ids: ['official'] })).toMatchObject({ status: 'completed' })
    // One day each: reports of all of them are kept.
    let refused: { message: string } | undefined
    for (let version = 1; version <= 70 && !refused; version += 1) {
      reported.goTo(reported.now() + 2 * DAY)
      const one = config('snapshot', { delivery_config_id: 'daily', delivery_config_version: version })
      refused = (await configure([one])).errors?.[0]
    }
    expect(refused?.message).toContain(
      'at most 64 versions of configurations whose reports are kept; the first is forgotten on 2027-',
    )
  })
})
