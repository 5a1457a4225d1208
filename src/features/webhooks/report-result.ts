import { deliveryOf, type LineReport } from '../../domain/media-buy/delivery.ts'
import { shownStatus } from '../../domain/media-buy/lifecycle.ts'
import { type WindowStages, windowAt } from '../../domain/media-buy/measurement-window.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentBuyDelivery } from '../../domain/media-buy/present-delivery.ts'
import { daysOf, onlyMetrics, type ReportPeriod, reportPeriod } from '../../domain/webhook/report-period.ts'
import type { WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'
import { shownTo } from './shown-to.ts'

/** AdCP get-media-buy-delivery-response, `notification_type`. */
export type Notification = 'scheduled' | 'final' | 'delayed' | 'adjusted' | 'window_update'

/** An ad server that cannot report now is asked again after this time. */
export const ASK_AGAIN_MS = 5 * 60_000

/** One webhook to send: its subject, and for a window the time at which the window before it was sent. */
export interface Notice {
  readonly type: Notification
  readonly period: ReportPeriod
  readonly toldAfterMs?: number
}

/** What a report is made of. */
export interface Reported {
  readonly endpoint: WebhookEndpoint
  readonly buy: MediaBuy
  readonly lines: readonly LineReport[] | undefined
  readonly windows: ReadonlyMap<string, WindowStages>
}

/** A get_media_buy_delivery response for one period, with what only webhooks carry. */
export function reportResult(
  { creatives, now }: DueEvent,
  { endpoint, buy, lines, windows }: Reported,
  { type, period, toldAfterMs }: Notice,
  sequence: number,
): object {
  const at = new Date(Math.min(period.until, now.getTime()))
  const expected = type === 'delayed' ? now.getTime() + ASK_AGAIN_MS : nextEnd(endpoint, buy, period.until)
  const reported = lines && {
    buy,
    status: shownStatus(buy, creatives, now, shownTo(endpoint)),
    creatives,
    delivery: deliveryOf(buy, lines, daysOf(period)),
    soFar: deliveryOf(buy, lines, { last: daysOf(period).last }),
  }
  const plain = reported && presentBuyDelivery(reported, { daily: false, now: at, until: at.toISOString() })
  const afterMs = now.getTime() - period.until
  const delivery = plain && {
    ...plain,
    by_package: plain.by_package.map((pkg) => ({ ...pkg, ...windowOf(windows.get(pkg.package_id) ?? [], afterMs, toldAfterMs) })),
  }
  return {
    notification_type: type,
    sequence_number: sequence,
    ...(type !== 'final' &&
      type !== 'adjusted' &&
      type !== 'window_update' && { next_expected_at: new Date(expected).toISOString() }),
    ...(type === 'delayed' && { partial_data: true, unavailable_count: 1 }),
    reporting_period: periodText(period),
    currency: buy.currency,
    media_buy_deliveries: delivery ? [onlyMetrics(delivery, endpoint.settings.metrics)] : [],
  }
}

/** In which measurement window the figures of a package are, and which one they replace. */
function windowOf(stages: WindowStages, afterMs: number, toldAfterMs: number | undefined): object {
  const window = windowAt(stages, afterMs)
  if (!window) return {}
  const before = toldAfterMs === undefined ? undefined : windowAt(stages, toldAfterMs)
  return {
    measurement_window: window.windowId,
    is_final: window.isLast,
    ...(before && before.windowId !== window.windowId && { supersedes_window: before.windowId }),
  }
}

/** When delivery ends: with the flight, or with a cancellation. */
export function flightEnd({ startsAt, endsAt, cancellation }: MediaBuy): number {
  const end = cancellation ? Math.min(Date.parse(endsAt), Date.parse(cancellation.canceledAt)) : Date.parse(endsAt)
  return Math.max(end, Date.parse(startsAt))
}

/** When the period after `from` ends, Unix milliseconds. */
export function nextEnd({ settings }: WebhookEndpoint, buy: MediaBuy, from: number): number {
  return reportPeriod(settings.frequency ?? 'daily', from, flightEnd(buy)).until
}

function periodText(period: ReportPeriod): { start: string; end: string } {
  return { start: new Date(period.from).toISOString(), end: new Date(period.until).toISOString() }
}
