import type { CoveredDays, Repetition } from '../../domain/notification/report-schedule.ts'
import type { Db, Store } from '../database.ts'
import { changeRow, later, takeLeases, takeRow } from '../leases.ts'
import { sortRows } from '../sort-rows.ts'
import type { SavedReportTables } from './rows.ts'

/** When a saved report is sent by mail, and to whom. Moments: ISO 8601 UTC. */
export interface ReportSchedule extends Repetition {
  readonly tenantId: string
  readonly report: string
  readonly covers: CoveredDays
  readonly personIds: readonly string[]
  readonly setBy: string
  readonly setAt: string
  /** Of the sending that comes, or that is being made. */
  readonly nextAt: string
  /** Attempts at it that failed. */
  readonly attempts: number
  readonly lastSentAt: string | undefined
  /** Why the last sending failed, and which one it was; undefined: it did not. */
  readonly failure: { readonly error: string; readonly at: string } | undefined
}

/** A schedule that this process sends now. */
export interface ClaimedSchedule extends ReportSchedule {
  readonly claim: string
}

/** Writes a schedule, or takes the place of the one of this report: a process that is sending by that one sends nothing any more. */
export async function putSchedule(tx: Db, schedule: ReportSchedule): Promise<void> {
  const { tenantId, report, failure } = schedule
  const columns = {
    every: schedule.every,
    weekday: schedule.weekday,
    month_day: schedule.monthDay,
    hour: schedule.hour,
    covers: schedule.covers,
    people: JSON.stringify(schedule.personIds),
    set_by: schedule.setBy,
    set_at: schedule.setAt,
    next_at: schedule.nextAt,
    try_at: schedule.nextAt,
    claim: null,
    attempts: schedule.attempts,
    last_sent_at: schedule.lastSentAt ?? null,
    last_error: failure?.error ?? null,
    failed_at: failure?.at ?? null,
  }
  await tx
    .insertInto('report_schedules')
    .values({ tenant_id: tenantId, report, ...columns })
    .onConflict((c) => c.columns(['tenant_id', 'report']).doUpdateSet(columns))
    .execute()
}

/** The schedules of a publisher, by report. */
export async function listSchedules(db: Db, tenantId: string): Promise<ReportSchedule[]> {
  const rows = await db.selectFrom('report_schedules').selectAll().where('tenant_id', '=', tenantId).execute()
  return sortRows(rows, 'report').map(scheduleOf)
}

export async function findSchedule(db: Db, tenantId: string, report: string): Promise<ReportSchedule | undefined> {
  const query = db.selectFrom('report_schedules').selectAll().where('tenant_id', '=', tenantId).where('report', '=', report)
  const row = await query.executeTakeFirst()
  return row && scheduleOf(row)
}

/** Whether there was one. */
export async function deleteSchedule(tx: Db, tenantId: string, report: string): Promise<boolean> {
  const query = tx.deleteFrom('report_schedules').where('tenant_id', '=', tenantId).where('report', '=', report)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** Claims the schedule that is due for the longest time, until a lease is over; undefined: none is due, or another process was faster. */
export async function claimSchedule(store: Store, now: Date, leaseMs: number): Promise<ClaimedSchedule | undefined> {
  const due = await store.read
    .selectFrom('report_schedules')
    .select(['tenant_id', 'report', 'try_at'])
    .where('try_at', '<=', now.toISOString())
    .orderBy('try_at')
    .limit(1)
    .execute()
  const [claimed] = await takeLeases(store, due, async (tx, seen, claim) => {
    const row = await takeRow(tx, 'report_schedules', seen, { claim, try_at: later(now, leaseMs) })
    return row && { ...scheduleOf(row), claim }
  })
  return claimed
}

/** What an attempt came to: the next sending, or a later attempt at this one. */
export type SendingOutcome =
  | { readonly nextAt: string; readonly sentAt: string }
  | { readonly nextAt: string; readonly error: string; readonly failedAt: string }
  | { readonly tryAt: string; readonly error: string; readonly failedAt: string }

/** Writes what an attempt came to. False when the claim was lost: then another process sends, or the schedule was changed. */
export async function settleSchedule(
  tx: Db,
  { tenantId, report, claim, attempts }: ClaimedSchedule,
  outcome: SendingOutcome,
): Promise<boolean> {
  const next = 'nextAt' in outcome
  const columns = {
    claim: null,
    ...(next
      ? { next_at: outcome.nextAt, try_at: outcome.nextAt, attempts: 0 }
      : { try_at: outcome.tryAt, attempts: attempts + 1 }),
    ...('sentAt' in outcome
      ? { last_sent_at: outcome.sentAt, last_error: null, failed_at: null }
      : { last_error: outcome.error, failed_at: outcome.failedAt }),
  }
  return changeRow(tx, 'report_schedules', { tenant_id: tenantId, report, claim }, columns)
}

function scheduleOf(row: SavedReportTables['report_schedules']): ReportSchedule {
  const { last_error: error, failed_at: at } = row
  return {
    tenantId: row.tenant_id,
    report: row.report,
    every: row.every,
    weekday: row.weekday,
    monthDay: row.month_day,
    hour: row.hour,
    covers: row.covers,
    personIds: JSON.parse(row.people),
    setBy: row.set_by,
    setAt: row.set_at,
    nextAt: row.next_at,
    attempts: row.attempts,
    lastSentAt: row.last_sent_at ?? undefined,
    failure: error === null || at === null ? undefined : { error, at },
  }
}
