import { createHash } from 'node:crypto'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { deliveryOf, type LineReport } from '../../domain/media-buy/delivery.ts'
import { ripenings } from '../../domain/media-buy/measurement-window.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { daysOf, type ReportPeriod, reportPeriod } from '../../domain/webhook/report-period.ts'
import type { Db } from '../../store/database.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { reschedule, unschedule } from '../../store/webhook/scheduled-events.ts'
import { endEndpoints, findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'
import { ASK_AGAIN_MS, flightEnd, type Notice, nextEnd, type Reported, reportResult } from './report-result.ts'

/** What was reported so far; the JSON of a scheduled event. Times are Unix milliseconds. */
interface ReportState {
  /** Where the next period begins. */
  readonly from: number
  /** Notifications sent. */
  readonly sequence: number
  /** Reported periods whose figures are still watched, oldest first. */
  readonly reported: readonly ReportedPeriod[]
  /** The current period was announced as delayed. */
  readonly delayed: boolean
  /** The last period was reported: until this time corrections are looked for. */
  readonly watchUntil?: number
}

interface ReportedPeriod {
  readonly from: number
  readonly until: number
  readonly print: string
  /** How many of its measurement windows after the first were reported. */
  readonly ripened?: number
}

/** So many reported periods are watched for corrections: a month of days. */
const WATCHED = 31
/** After the final report corrections are looked for this long, once a day. */
const WATCH_MS = 7 * 86_400_000

/**
 * Sends what is due of a buyer's delivery reports: the period that ended, corrections of earlier ones, or the notice that data is late. The ad
 * server is asked outside the transaction that writes the webhooks.
 */
export async function tellReport(due: DueEvent): Promise<void> {
  const { store, event, buy, now } = due
  const endpoint = await findEndpoint(store.read, event.endpointId)
  if (!buy || !endpoint?.settings.frequency || buy.rejection) {
    await store.transaction((tx) => unschedule(tx, event))
    return
  }
  const state = stateOf(event.state, buy)
  const period = reportPeriod(endpoint.settings.frequency, state.from, flightEnd(buy))
  const windows = await due.mediaBuys.windows(event, buy)
  const isOver = now.getTime() >= period.until
  const ripe = nextRipening(state, ripenings(windows.values()))
  if (state.watchUntil === undefined && !isOver && now.getTime() < ripe) {
    await store.transaction((tx) => reschedule(tx, event, new Date(Math.min(period.until, ripe)), state))
    return
  }
  const upTo = new Date(state.watchUntil === undefined && isOver ? period.until : now)
  const lines = await due.mediaBuys.report(event, buy, due.creatives, upTo).catch(() => undefined)
  await store.transaction((tx) => write(tx, due, { endpoint, buy, state, period, lines, windows }))
}

interface Found extends Reported {
  readonly state: ReportState
  readonly period: ReportPeriod
}

async function write(tx: Db, due: DueEvent, found: Found): Promise<void> {
  const { endpoint, buy, state, period, lines, windows } = found
  const { event, now } = due
  const notices: Notice[] = []
  const ripen = ripenings(windows.values())
  let next: ReportState = state
  let dueAt = now.getTime() + ASK_AGAIN_MS
  if (!lines) {
    if (!state.delayed && state.watchUntil === undefined) notices.push({ type: 'delayed', period })
    next = { ...state, delayed: true }
  } else {
    const reported = state.reported.map((one): ReportedPeriod => {
      const { period, ...next } = again(one, { buy, lines, ripen }, now)
      if (period) notices.push(period)
      return next
    })
    if (state.watchUntil !== undefined || now.getTime() < period.until) {
      next = { ...state, reported }
      dueAt = state.watchUntil === undefined ? period.until : now.getTime() + DAY_MS
    } else {
      notices.push({ type: period.final ? 'final' : 'scheduled', period })
      const { from, until } = period
      const kept = isWholeDays(period)
        ? [...reported, { from, until, print: printOf(buy, lines, period) }].slice(-WATCHED)
        : reported
      const watchMs = Math.max(WATCH_MS, (ripen.at(-1) ?? 0) + DAY_MS)
      next = { ...state, from: until, reported: kept, delayed: false, ...(period.final && { watchUntil: until + watchMs }) }
      dueAt = period.final ? until + DAY_MS : nextEnd(endpoint, buy, until)
    }
  }
  dueAt = Math.min(dueAt, nextRipening(next, ripen))
  next = { ...next, sequence: state.sequence + notices.length }
  const over = next.watchUntil !== undefined && dueAt > next.watchUntil
  if (!(over ? await unschedule(tx, event) : await reschedule(tx, event, new Date(dueAt), next))) return
  for (const [index, notice] of notices.entries()) {
    const result = reportResult(due, found, notice, state.sequence + index + 1)
    const { taskId, taskType } = endpoint
    await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', at: now, result }, now, 'reports')
  }
  if (over) await endEndpoints(tx, [endpoint.endpointId], now)
}

/** When the figures of some reported period are next to be examined in another window, Unix milliseconds. */
function nextRipening({ reported }: ReportState, ripen: readonly number[]): number {
  return Math.min(...reported.map(({ until, ripened = 0 }) => until + (ripen[ripened] ?? Number.POSITIVE_INFINITY)))
}

/**
 * A period that was reported, checked again: its figures have ripened into another window, or were corrected. While windows are to come the figures are
 * expected to change, which is no correction.
 */
function again(
  one: ReportedPeriod,
  { buy, lines, ripen }: { readonly buy: MediaBuy; readonly lines: readonly LineReport[]; readonly ripen: readonly number[] },
  now: Date,
): ReportedPeriod & { readonly period?: Notice } {
  const print = printOf(buy, lines, one)
  const { from, until, ripened = 0 } = one
  const period = { from, until, final: false }
  const reached = ripen.filter((afterMs) => until + afterMs <= now.getTime()).length
  const kept = { from, until, print, ...(ripen.length > 0 && { ripened: Math.max(reached, ripened) }) }
  if (reached > ripened) return { ...kept, period: { type: 'window_update', period, toldAfterMs: ripen[ripened - 1] ?? 0 } }
  if (print === one.print || ripened < ripen.length) return kept
  return { ...kept, period: { type: 'adjusted', period } }
}

function stateOf(state: Readonly<Record<string, unknown>>, buy: MediaBuy): ReportState {
  const first: ReportState = { from: Date.parse(buy.startsAt), sequence: 0, reported: [], delayed: false }
  const stored = { ...first, ...state }
  // A flight that was moved before anything was reported begins where it begins now.
  return stored.sequence === 0 ? { ...stored, from: first.from } : stored
}

/** Delivery comes by UTC day: the figures of part of a day keep changing without being corrected. */
function isWholeDays({ until, final }: ReportPeriod): boolean {
  return final || until % DAY_MS === 0
}

/** Fingerprint of a period's figures. */
function printOf(buy: MediaBuy, lines: readonly LineReport[], period: { from: number; until: number }): string {
  const { total, packages } = deliveryOf(buy, lines, daysOf(period))
  return createHash('sha256')
    .update(JSON.stringify([total, [...packages].map(([id, sum]) => [id, sum.total])]))
    .digest('base64url')
    .slice(0, 16)
}
