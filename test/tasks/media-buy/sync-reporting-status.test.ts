import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES } from '../../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../../support/reported-account.ts'

const HOUR = 3_600_000

describe.skipIf(!LINES.includes('3.2'))('what a buyer says of its reports', () => {
  let reported: ReportedAccount
  const status: ReportedAccount['status'] = (...asked) => reported.status(...asked)

  beforeAll(async () => {
    reported = await startReportedAccount()
    await reported.configure([reported.config('snapshot'), reported.config('official')])
    reported.goTo(Date.parse('2026-03-18T01:00:00Z'))
    await status('summary')
    reported.goTo(Date.parse('2026-03-25T08:00:00Z'))
  }, 120_000)
  afterAll(() => reported?.agent.stop())

  const period = { start: '2026-03-17T00:00:00.000Z', end: '2026-03-18T00:00:00.000Z' }
  const scope = { period, feed_purposes: ['pacing'] }
  const said = async (...statuses: object[]) =>
    (await reported.ask('sync_reporting_status', { account: { account_id: reported.account_id }, statuses })).data
  let about: Record<string, unknown>
  let revision: { reporting_revision_id: string; revision_content_sha256: string }
  const statement = (id: string, more: object) => ({
    ...{ reporting_status_id: `statement-of-buyer-${id}`, ...about, status_as_of: new Date(reported.now()).toISOString() },
    ...more,
  })
  const received = (more: object = {}) => ({
    consumer_status: 'received',
    reporting_revision_id: revision.reporting_revision_id,
    observed_revision_content_sha256: revision.revision_content_sha256,
    ...more,
  })
  const first = (answer: {
    results: { result: string; errors: [{ code: string; message: string }]; consumer_status: object }[]
  }) => answer.results[0]!

  test('is declared, and counted as missing once it is overdue', async () => {
    expect(reported.capability).toMatchObject({ consumer_status_task: 'sync_reporting_status' })
    const { periods, revisions, consumer_statuses } = await status('periods', scope)
    expect(consumer_statuses).toEqual([])
    expect(periods[0]).toMatchObject({ consumer_status_count: 0 })
    const { delivery_config_id, delivery_config_version, report_definition_id, reporting_obligation_id } = periods[0]
    about = {
      ...{ delivery_config_id, delivery_config_version, report_definition_id, reporting_obligation_id },
      period: { ...period, source_timezone: 'UTC' },
    }
    revision = revisions.find(({ finality }: { finality: string }) => finality === 'official')
    expect((await status('summary', scope)).obligation_counts).toMatchObject({
      total: 1,
      complete: 1,
      consumer_status_pending: 1,
    })
  })

  test('is recorded once under its name, and is refused where it names what is not the buyer’s or not what was read', async () => {
    const refused = async (more: object) => first(await said(statement('0', received(more)))).errors[0].code
    expect(await refused({ delivery_config_id: 'nobody' })).toBe('REFERENCE_NOT_FOUND')
    expect(await refused({ delivery_config_version: 7 })).toBe('REFERENCE_NOT_FOUND')
    expect(await refused({ report_definition_id: 'other.v1' })).toBe('REFERENCE_NOT_FOUND')
    expect(await refused({ reporting_revision_id: 'reporting-revision.other' })).toBe('REFERENCE_NOT_FOUND')
    expect(await refused({ period: { ...period, source_timezone: 'Europe/Berlin' } })).toBe('REFERENCE_NOT_FOUND')
    const between = { start: '2026-03-17T12:00:00Z', end: '2026-03-18T12:00:00Z', source_timezone: 'UTC' }
    expect(await refused({ period: between })).toBe('REFERENCE_NOT_FOUND')
    expect(await refused({ observed_revision_content_sha256: '0'.repeat(64) })).toBe('INVALID_REQUEST')
    expect(await refused({ status_as_of: new Date(reported.now() + HOUR).toISOString() })).toBe('INVALID_REQUEST')
    expect(await refused({ supersedes_reporting_status_id: 'statement-of-nobody-1' })).toBe('REFERENCE_NOT_FOUND')
    const snapshot = await status('summary')
    const seen = { seller_ledger_snapshot_id: snapshot.ledger_snapshot_id, seller_ledger_as_of: snapshot.ledger_as_of }
    expect(await refused({ ...seen, seller_ledger_as_of: '2026-03-25T00:00:00Z' })).toBe('REFERENCE_NOT_FOUND')

    const sent = statement('1', received(seen))
    const recorded = first(await said(sent))
    expect(recorded).toMatchObject({ result: 'recorded', consumer_status: sent })
    expect(first(await said(sent))).toEqual({ result: 'unchanged', consumer_status: recorded.consumer_status })
    const changed = { ...sent, consumer_commit_ref: 'load-2' }
    expect(first(await said(changed)).errors[0].code).toBe('IDEMPOTENCY_CONFLICT')
    const other = statement('1', {
      ...received(),
      period: { start: period.end, end: '2026-03-19T00:00:00Z', source_timezone: 'UTC' },
    })
    expect(first(await said(other)).errors[0].code).toBe('IDEMPOTENCY_CONFLICT')
    expect(first(await said(statement('2', received()))).errors[0].code).toBe('CONFLICT')
    expect(await status('summary', scope)).toMatchObject({
      health: 'complete',
      obligation_counts: { complete: 1, consumer_status_pending: 0 },
    })
  })

  test('stands beside what was published: where both differ, the view of this buyer needs somebody, until they agree again', async () => {
    const since = (await status('periods', scope)).changes_checkpoint
    const contrary = statement('3', {
      ...received({ consumer_status: 'content_mismatch', mismatch_code: 'coverage_short' }),
      supersedes_reporting_status_id: 'statement-of-buyer-1',
    })
    const twice = { ...contrary, reporting_status_id: 'statement-of-buyer-4' }
    const both = await said(contrary, twice)
    expect(both.results.map(({ result }: { result: string }) => result)).toEqual(['failed', 'failed'])
    expect(first(await said(contrary)).result).toBe('recorded')
    const summary = await status('summary', scope)
    expect(summary).toMatchObject({
      health: 'action_required',
      issues: [
        {
          code: 'CONSUMER_STATUS_MISMATCH',
          reporting_status_id: 'statement-of-buyer-3',
          responsible_party: 'seller',
          recommended_action: 'contact_seller',
        },
      ],
    })
    const repaired = await status('periods', { ...scope, changes_after: since })
    expect(repaired.periods).toMatchObject([
      { health: 'action_required', consumer_status_count: 2, current_consumer_status_id: 'statement-of-buyer-3' },
    ])
    expect(repaired.consumer_statuses).toMatchObject([{ reporting_status_id: 'statement-of-buyer-3' }])
    expect(repaired.revisions).toEqual([])
    const one = await status('revision', { reporting_revision_id: revision.reporting_revision_id })
    expect(one.consumer_statuses).toHaveLength(2)

    const agreed = statement('5', received({ supersedes_reporting_status_id: 'statement-of-buyer-3' }))
    expect(first(await said(agreed)).result).toBe('recorded')
    expect(await status('summary', scope)).toMatchObject({ health: 'complete', issues: [] })
  })

  test('is taken of a period that has no record, and joins its record', async () => {
    const { reporting_obligation_id: _id, ...unnamed } = about
    const early = { ...unnamed, consumer_status: 'obligation_missing', reporting_status_id: 'statement-of-buyer-6' }
    const tooEarly = { ...early, status_as_of: '2026-03-18T01:00:00Z' }
    expect(first(await said(tooEarly)).errors[0].message).toContain('before it is due')
    const claimed = {
      ...early,
      status_as_of: new Date(reported.now()).toISOString(),
      supersedes_reporting_status_id: 'statement-of-buyer-5',
    }
    expect(first(await said(claimed)).result).toBe('recorded')
    expect((await status('periods', scope)).periods).toMatchObject([{ consumer_status_count: 4, health: 'action_required' }])
    const back = statement('7', received({ supersedes_reporting_status_id: 'statement-of-buyer-6' }))
    expect(first(await said(back)).result).toBe('recorded')
  })

  test('comes with what has changed, however old its period is', async () => {
    reported.goTo(Date.parse('2026-05-05T08:00:00Z'))
    const { changes_checkpoint: since } = await status('periods')
    const late = statement('8', received({ supersedes_reporting_status_id: 'statement-of-buyer-7' }))
    expect(first(await said(late)).result).toBe('recorded')
    const changed = await status('periods', { changes_after: since })
    expect(changed.consumer_statuses).toMatchObject([{ reporting_status_id: 'statement-of-buyer-8' }])
    expect(changed.periods).toMatchObject([
      { period: { start: period.start }, current_consumer_status_id: 'statement-of-buyer-8', health: 'complete' },
    ])
  })
})
