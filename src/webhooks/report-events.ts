import { createHash } from 'node:crypto'
import { deliveryOf, type LineReport } from '../domain/media-buy/delivery.ts'
import { mediaBuyStatus } from '../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../domain/media-buy/media-buy.ts'
import { presentBuyDelivery } from '../domain/media-buy/present-delivery.ts'
import { daysOf, onlyMetrics, type ReportPeriod, reportPeriod } from '../domain/webhook/report-period.ts'
import type { Db } from '../store/database.ts'
import { enqueue } from '../store/outbox.ts'
import { reschedule, unschedule } from '../store/scheduled-events.ts'
import { endEndpoints, findEndpoint, type WebhookEndpoint } from '../store/webhook-endpoints.ts'
import type { DueEvent } from './status-events.ts'

/** AdCP get-media-buy-delivery-response, `notification_type`. */
type Notification = 'scheduled' | 'final' | 'delayed' | 'adjusted'

/** What was reported so far; the JSON of a scheduled event. Times are Unix milliseconds. */
interface ReportState {
  /** Where the next period begins. */
  readonly from: number
  /** Notifications sent. */
  readonly sequence: number
  /** Reported periods whose figures are still watched, oldest first. */
  readonly reported: readonly { readonly from: number; readonly until: number; readonly print: string }[]
  /** The current period was announced as delayed. */
  readonly delayed: boolean
  /** The last period was reported: until this time corrections are looked for. */
  readonly watchUntil?: number
}

/** So many reported periods are watched for corrections: a month of days. */
const WATCHED = 31
/** After the final report corrections are looked for this long, once a day. */
const WATCH_MS = 7 * 86_400_000
const DAY_MS = 86_400_000
/** An ad server that cannot report now is asked again after this time. */
const ASK_AGAIN_MS = 5 * 60_000

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
  if (state.watchUntil === undefined && now.getTime() < period.until) {
    await store.transaction((tx) => reschedule(tx, event, new Date(period.until), state))
    return
  }
  const upTo = new Date(state.watchUntil === undefined ? period.until : now)
  const lines = await due.mediaBuys.report(buy, due.creatives, upTo).catch(() => undefined)
  await store.transaction((tx) => write(tx, due, { endpoint, buy, state, period, lines }))
}

interface Found {
  readonly endpoint: WebhookEndpoint
  readonly buy: MediaBuy
  readonly state: ReportState
  readonly period: ReportPeriod
  readonly lines: readonly LineReport[] | undefined
}

async function write(tx: Db, due: DueEvent, { endpoint, buy, state, period, lines }: Found): Promise<void> {
  const { event, now } = due
  const notices: { type: Notification; period: ReportPeriod }[] = []
  let next: ReportState = state
  let dueAt = now.getTime() + ASK_AGAIN_MS
  if (!lines) {
    if (!state.delayed && state.watchUntil === undefined) notices.push({ type: 'delayed', period })
    next = { ...state, delayed: true }
  } else {
    const reported = state.reported.map((one) => ({ ...one, print: printOf(buy, lines, one) }))
    reported.forEach((one, index) => {
      if (one.print !== state.reported[index]?.print) notices.push({ type: 'adjusted', period: { ...one, final: false } })
    })
    if (state.watchUntil !== undefined) {
      next = { ...state, reported }
      dueAt = now.getTime() + DAY_MS
    } else {
      notices.push({ type: period.final ? 'final' : 'scheduled', period })
      const { from, until } = period
      const kept = isWholeDays(period)
        ? [...reported, { from, until, print: printOf(buy, lines, period) }].slice(-WATCHED)
        : reported
      next = { ...state, from: until, reported: kept, delayed: false, ...(period.final && { watchUntil: until + WATCH_MS }) }
      dueAt = period.final ? until + DAY_MS : nextEnd(endpoint, buy, until)
    }
  }
  next = { ...next, sequence: state.sequence + notices.length }
  const over = next.watchUntil !== undefined && dueAt > next.watchUntil
  if (!(over ? await unschedule(tx, event) : await reschedule(tx, event, new Date(dueAt), next))) return
  for (const [index, notice] of notices.entries()) {
    const result = resultOf(due, { endpoint, buy, lines }, notice, state.sequence + index + 1)
    const { taskId, taskType } = endpoint
    await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', at: now, result }, now, 'reports')
  }
  if (over) await endEndpoints(tx, [endpoint.endpointId], now)
}

/** A get_media_buy_delivery response for one period, with what only webhooks carry. */
function resultOf(
  { creatives, now }: DueEvent,
  { endpoint, buy, lines }: Pick<Found, 'endpoint' | 'buy' | 'lines'>,
  { type, period }: { type: Notification; period: ReportPeriod },
  sequence: number,
): object {
  const at = new Date(Math.min(period.until, now.getTime()))
  const expected = type === 'delayed' ? now.getTime() + ASK_AGAIN_MS : nextEnd(endpoint, buy, period.until)
  const reported = lines && {
    buy,
    status: mediaBuyStatus(buy, creatives, now),
    delivery: deliveryOf(buy, lines, daysOf(period)),
  }
  const delivery = reported && presentBuyDelivery(reported, { daily: false, now: at })
  return {
    notification_type: type,
    sequence_number: sequence,
    ...(type !== 'final' && type !== 'adjusted' && { next_expected_at: new Date(expected).toISOString() }),
    ...(type === 'delayed' && { partial_data: true, unavailable_count: 1 }),
    reporting_period: periodText(period),
    currency: buy.currency,
    media_buy_deliveries: delivery ? [onlyMetrics(delivery, endpoint.settings.metrics)] : [],
  }
}

function stateOf(state: Readonly<Record<string, unknown>>, buy: MediaBuy): ReportState {
  const first: ReportState = { from: Date.parse(buy.startsAt), sequence: 0, reported: [], delayed: false }
  const stored = { ...first, ...state }
  // A flight that was moved before anything was reported begins where it begins now.
  return stored.sequence === 0 ? { ...stored, from: first.from } : stored
}

/** When delivery ends: with the flight, or with a cancellation. */
function flightEnd({ startsAt, endsAt, cancellation }: MediaBuy): number {
  const end = cancellation ? Math.min(Date.parse(endsAt), Date.parse(cancellation.canceledAt)) : Date.parse(endsAt)
  return Math.max(end, Date.parse(startsAt))
}

function nextEnd({ settings }: WebhookEndpoint, buy: MediaBuy, from: number): number {
  return reportPeriod(settings.frequency ?? 'daily', from, flightEnd(buy)).until
}

/** Delivery comes by UTC day: the figures of part of a day keep changing without being corrected. */
function isWholeDays({ until, final }: ReportPeriod): boolean {
  return final || until % DAY_MS === 0
}

function periodText(period: ReportPeriod): { start: string; end: string } {
  return { start: new Date(period.from).toISOString(), end: new Date(period.until).toISOString() }
}

/** Fingerprint of a period's figures. */
function printOf(buy: MediaBuy, lines: readonly LineReport[], period: { from: number; until: number }): string {
  const { total, packages } = deliveryOf(buy, lines, daysOf(period))
  return createHash('sha256')
    .update(JSON.stringify([total, [...packages].map(([id, sum]) => [id, sum.total])]))
    .digest('base64url')
    .slice(0, 16)
}
