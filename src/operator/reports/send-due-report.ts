import { randomUUID } from 'node:crypto'
import type { NotificationItem } from '../../domain/notification/notification.ts'
import { nextSending, reportedDays, sendingDue } from '../../domain/notification/report-schedule.ts'
import { isExhausted, pauseAfter } from '../../domain/webhook/retry.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { enqueueMessage } from '../../store/notification/notification-outbox.ts'
import { insertReportFiles } from '../../store/saved-report/report-files.ts'
import { type ClaimedSchedule, claimSchedule, settleSchedule } from '../../store/saved-report/report-schedules.ts'
import { questionIn } from '../../store/saved-report/saved-reports.ts'
import { amountText } from '../amount.ts'
import { publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { perform } from '../perform.ts'
import { deliveryReport } from './delivery-report.ts'
import type { DeliveryReport } from './delivery-report-shape.ts'
import { reportCsv, reportWorkbook } from './report-csv.ts'
import { getSaved } from './saved-question.ts'
import { recipientsOf } from './shown-schedule.ts'

/** More than the largest report takes; then another process may make it. */
const LEASE_MS = 5 * 60_000
/** How long a report is tried: an ad server that is away in the morning is back by noon. */
const HORIZON_MS = 6 * 3_600_000
/** The first pause is half a minute: an ad server that did not report does not do so a second later. */
const SKIPPED_PAUSES = 6
/** Attempts at a report that wait for its workbook; then it goes without. */
const WORKBOOK_ATTEMPTS = 3
/** Bytes of the files of a mail: with their encoding below the 10 MB that mail servers take. */
const MOST_ATTACHED = 7_000_000

interface Options {
  /** Uniform in [0, 1): the jitter of pauses. */
  readonly chance: number
  /** Told why a report was not made. */
  readonly onFailure: (schedule: ClaimedSchedule, error: unknown) => void
}

/**
 * Makes the report that is due for the longest time, and writes a message to each of its people. The messages and the next sending are one transaction, which
 * counts only while the claim of this process does: each sending is made once, however many processes look and whenever one of them dies. False when no report
 * is due.
 */
export async function sendDueReport(context: OperatorContext, { chance, onFailure }: Options): Promise<boolean> {
  const { store, clock } = context
  const claimed = await claimSchedule(store, clock(), LEASE_MS)
  if (!claimed) return false
  const { timeZone } = await publisherCalendar(context, claimed.tenantId)
  const at = sendingDue(new Date(claimed.nextAt), clock(), claimed, timeZone)
  const nextAt = nextSending(at, claimed, timeZone).toISOString()
  try {
    const made = await madeReport(context, claimed, at, timeZone)
    await store.transaction(async (tx) => {
      const sentAt = clock().toISOString()
      if (await settleSchedule(tx, claimed, { nextAt, sentAt })) await queueReport(tx, claimed, made, clock())
    })
  } catch (error) {
    onFailure(claimed, error)
    const failure = { error: reasonOf(error), failedAt: at.toISOString() }
    const isOver = isRefusal(error) || isExhausted(claimed.attempts + 1, clock().getTime() - at.getTime(), HORIZON_MS)
    const tryAt = new Date(clock().getTime() + pauseAfter(claimed.attempts + 1 + SKIPPED_PAUSES, chance)).toISOString()
    await store.transaction((tx) => settleSchedule(tx, claimed, isOver ? { nextAt, ...failure } : { tryAt, ...failure }))
  }
  return true
}

interface MadeReport {
  readonly report: DeliveryReport
  readonly csv: string | undefined
  readonly xlsx: Uint8Array | undefined
}

async function madeReport(context: OperatorContext, schedule: ClaimedSchedule, at: Date, timeZone: string): Promise<MadeReport> {
  const { tenantId, attempts } = schedule
  const saved = questionIn(await getSaved({ ...context, tenantId }, schedule.report))
  const { last_days: _, ...question } = saved
  const reader = { actor: context.actor, tenantId, role: 'viewer', deployment: false } as const
  const asked = { ...question, ...reportedDays(at, saved, schedule, timeZone) }
  const { answer: report } = await perform(context, reader, deliveryReport, asked)
  const csv = reportCsv(report)
  const xlsx = await reportWorkbook(report).catch((error: unknown) => {
    if (attempts + 1 < WORKBOOK_ATTEMPTS) throw error
    return undefined
  })
  const withoutCsv = MOST_ATTACHED - (xlsx?.length ?? 0)
  return {
    report,
    csv: Buffer.byteLength(csv) <= withoutCsv ? csv : undefined,
    xlsx: withoutCsv >= 0 ? xlsx : undefined,
  }
}

/** Writes a message to each person of a schedule who may be told and has a mail channel. Throws INVALID_REQUEST when there is nobody. */
async function queueReport(tx: Db, schedule: ClaimedSchedule, { report, csv, xlsx }: MadeReport, now: Date): Promise<void> {
  const { tenantId, report: name } = schedule
  const recipients = await recipientsOf(tx, tenantId)
  const reached = schedule.personIds.filter((id) => recipients.get(id)?.has_mail)
  if (reached.length === 0)
    throw new AdcpError('INVALID_REQUEST', 'nobody whom it is sent to has a mail channel here any more; name others', {
      field: 'to',
    })
  const reportFile = `rpf_${randomUUID()}`
  await insertReportFiles(
    tx,
    { fileId: reportFile, tenantId, name: `${fileName(name)}-${report.first}-${report.last}`, csv, xlsx },
    now,
  )
  const item: NotificationItem = {
    kind: 'report',
    subject: name,
    title: `${name}, ${report.first} to ${report.last}`,
    text: `${summaryOf(report)} ${attachedText(csv !== undefined, xlsx !== undefined)}`,
    path: `/t/${tenantId}/reports/saved/${encodeURIComponent(name)}`,
    at: now.toISOString(),
  }
  for (const personId of reached)
    await enqueueMessage(
      tx,
      { tenantId, personId, channel: 'mail', reportFile },
      { items: [item], more: 0, isDigest: false },
      now,
    )
}

function summaryOf({ by, first, last, time_zone: zone, totals }: DeliveryReport): string {
  const number = (value: number) => value.toLocaleString('en-US')
  const sums = totals.map(
    ({ impressions, clicks, spent, currency }) =>
      `${number(impressions)} impressions, ${number(clicks)} clicks, ${amountText(spent, currency)} ${currency}`,
  )
  return `Delivery by ${by.join(', ')} from ${first} to ${last} (${zone}): ${sums.join('; ') || 'nothing was delivered'}.`
}

function attachedText(csv: boolean, xlsx: boolean): string {
  if (csv && xlsx) return 'The report is attached as CSV and as a workbook.'
  if (xlsx) return 'The report is attached as a workbook; as CSV it is too large for a mail.'
  if (csv) return 'The report is attached as CSV; the workbook is too large for a mail, or takes too long to make.'
  return 'The report is too large for a mail; its page has it as CSV and as a workbook.'
}

/** Letters and digits of the name of a report: a file name of every system. */
function fileName(report: string): string {
  return report.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'report'
}

/** What another attempt does not change. */
function isRefusal(error: unknown): boolean {
  return error instanceof AdcpError && (error.code === 'INVALID_REQUEST' || error.code === 'REFERENCE_NOT_FOUND')
}

function reasonOf(error: unknown): string {
  return error instanceof AdcpError
    ? error.message.slice(0, 500)
    : 'the report could not be made; the log of the server has the reason'
}
