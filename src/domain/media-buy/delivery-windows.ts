import type { Steps } from '../../platform/concurrency/steps.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { microsToAmount } from '../money.ts'
import type { Offer } from '../product/offer.ts'
import { type DayMetrics, type DayRange, sumDays } from './delivery.ts'
import type { ReportedBuy } from './present-delivery.ts'
import { playableImpressions, presentMetrics } from './present-metrics.ts'

/** Lengths of window that delivery, which is counted by UTC day, can be cut into (AdCP 3.1, `windowed_pull_granularities`). */
const SERVED = ['daily', 'monthly'] as const
export type Granularity = (typeof SERVED)[number]

/** Rows (windows of all buys, packages of each window) that one answer carries at most. */
const MOST_ROWS = 20_000

/** What a request of 3.1 asks for; undefined when it asks for no windows. */
export function wantedGranularity(request: object): string | undefined {
  const { time_granularity: wanted }: { time_granularity?: unknown } = request
  return typeof wanted === 'string' ? wanted : undefined
}

/**
 * Holds a granularity to what every product of the report declares. Throws UNSUPPORTED_GRANULARITY with the ones that all of them have
 * (AdCP 3.1, get_media_buy_delivery "Windowed pull recovery").
 */
export function requireGranularity(wanted: string, offers: readonly (Offer | undefined)[]): Granularity {
  const supported = SERVED.filter((each) => offers.every((offer) => offer !== undefined && declaredBy(offer).includes(each)))
  const found = supported.find((each) => each === wanted)
  if (found) return found
  const named = supported.length > 0 ? supported.join(', ') : 'none'
  throw new AdcpError(
    'UNSUPPORTED_GRANULARITY',
    `time_granularity "${wanted}" is not offered for all of these media buys; offered: ${named}. Leave it out for totals and days`,
    { field: 'time_granularity', details: { supported_granularities: supported } },
  )
}

function declaredBy({ reporting_capabilities: reporting }: Offer): readonly unknown[] {
  if (!isObject(reporting)) return []
  const { windowed_pull_granularities: declared } = reporting
  return Array.isArray(declared) ? declared : []
}

/** One slice of a report (get-media-buy-delivery-response, `media_buy_deliveries[].windows[]`). */
interface DeliveryWindow {
  readonly window_start: string
  readonly window_end: string
  readonly totals: object
  readonly by_package: readonly object[]
  readonly is_final: boolean
}

/**
 * The delivery of a buy cut into days or calendar months (UTC), each beginning where the one before ended, over the days that were asked for, else over its
 * flight up to now. Throws INVALID_REQUEST where they would be more than an answer carries.
 */
export function* windowsOf(
  { buy, delivery }: ReportedBuy,
  { granularity, range, now }: { readonly granularity: Granularity; readonly range: DayRange; readonly now: Date },
): Steps<DeliveryWindow[]> {
  const today = now.toISOString()
  const first = range.first ?? buy.startsAt.slice(0, 10)
  const last = range.last ?? (buy.endsAt < today ? buy.endsAt : today).slice(0, 10)
  const bounds = boundsOf(granularity, Date.parse(first), Date.parse(last) + DAY_MS)
  if (bounds.length * (buy.packages.length + 1) > MOST_ROWS)
    throw new AdcpError('INVALID_REQUEST', `the report would have ${bounds.length} windows; ask for fewer days`, {
      field: 'end_date',
    })
  const total = byWindow(delivery.days, bounds)
  const ofPackages = [...delivery.packages].map(([packageId, { days }]) => ({ packageId, rows: byWindow(days, bounds) }))
  const isFinal = buy.packages.length > 0 && buy.packages.every(({ terms }) => now.getTime() >= Date.parse(terms.endsAt))
  const windows: DeliveryWindow[] = []
  for (const [index, end] of bounds.slice(1).entries()) {
    windows.push({
      window_start: new Date(bounds[index] ?? end).toISOString(),
      window_end: new Date(end).toISOString(),
      totals: metricsOf(
        total[index] ?? [],
        ofPackages.map(({ rows }) => rows[index] ?? []),
      ),
      by_package: ofPackages.map(({ packageId, rows }) => ({ package_id: packageId, ...metricsOf(rows[index] ?? []) })),
      is_final: isFinal,
    })
    yield
  }
  return windows
}

/** Instants at which windows begin and end, in milliseconds; at least two. */
function boundsOf(granularity: Granularity, from: number, until: number): number[] {
  const bounds = [from]
  for (let at = from; at < until && bounds.length <= MOST_ROWS; ) {
    at = Math.min(granularity === 'daily' ? at + DAY_MS : nextMonth(at), until)
    bounds.push(at)
  }
  return bounds
}

function nextMonth(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}

/** The days of each window; both lists are in order. */
function byWindow(days: readonly DayMetrics[], bounds: readonly number[]): DayMetrics[][] {
  const windows = bounds.slice(1).map((): DayMetrics[] => [])
  let index = 0
  for (const day of days) {
    const at = Date.parse(day.day)
    while (index < windows.length && at >= (bounds[index + 1] ?? 0)) index += 1
    windows[index]?.push(day)
  }
  return windows
}

/** `packages`: the same days of each package, where they are the days of several. */
function metricsOf(days: readonly DayMetrics[], packages = [days]): object {
  const { total } = sumDays(days)
  return { ...presentMetrics(total, playableImpressions(packages.map(sumDays))), spend: microsToAmount(total.spendMicros) }
}
