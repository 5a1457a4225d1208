import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import type { ContentIdType } from '../catalog/declared-catalog.ts'
import { microsToAmount, mulDiv } from '../money.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import { type BuyDelivery, type DayMetrics, type DeliverySum, type Metrics, NOTHING } from './delivery.ts'
import { canServe } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy, Package, RecordedCount } from './media-buy.ts'
import { missingMetrics } from './missing-metrics.ts'
import { playableImpressions, presentMetrics, presentValue, rounded } from './present-metrics.ts'
import { commitmentMicros, isBilledByUnit } from './pricing.ts'
import { flatGoal } from './progress.ts'
import { recordedAudience, recordedCount } from './record-delivery.ts'
import { byEventType, type ConversionsByType } from './report-conversions.ts'
import type { ShownSnapshot } from './shown-buy.ts'
import type { Breakdowns, MediaBuyDelivery, PackageDelivery, ShownItem } from './shown-delivery.ts'

/** One media buy with its delivery, as the report shows it. */
export interface ReportedBuy {
  readonly buy: MediaBuy
  readonly status: MediaBuyStatus
  readonly creatives: CreativeFacts
  readonly delivery: BuyDelivery
  /** Everything that was delivered until now, whatever days the report has: pace and state of a package follow from it. */
  readonly soFar: BuyDelivery
  /** Events that were credited to its packages in the days of the report, by package id. */
  readonly conversions?: ReadonlyMap<string, readonly ConversionsByType[]>
  /** Delivery of the items of catalog-driven packages, by package id. */
  readonly items?: ReadonlyMap<string, readonly ItemDelivery[]>
  /** Delivery of the packages by the dimensions that were asked for, by package id. */
  readonly breakdowns?: ReadonlyMap<string, Breakdowns>
}

interface Options {
  readonly daily: boolean
  readonly now: Date
  /** Windows that the report is cut into as well. */
  readonly windows?: readonly object[] | undefined
  /** End of the report; metrics that were committed to later are not missed. */
  readonly until: string
}

/** Delivery of one media buy (get-media-buy-delivery-response, `media_buy_deliveries[]`). */
export function* presentInSteps(reported: ReportedBuy, options: Options): Steps<MediaBuyDelivery> {
  const { buy, status, delivery, conversions } = reported
  const models = new Set(buy.packages.map((pkg) => pkg.pricing.model))
  const [model] = models
  const { total } = delivery
  const packages: PackageDelivery[] = []
  for (const pkg of buy.packages) {
    packages.push(presentPackageDelivery(pkg, reported, options))
    yield
  }
  return {
    media_buy_id: buy.mediaBuyId,
    status,
    ...(models.size === 1 && model !== undefined && { pricing_model: model }),
    totals: {
      ...presentMetrics(total, playableImpressions(delivery.packages.values())),
      ...presentTypes(total, byEventType(conversions?.values() ?? [])),
      ...recordedAudience(buy.packages),
      spend: microsToAmount(total.spendMicros),
    },
    ...finalityOf(buy, options.now),
    by_package: packages,
    daily_breakdown: delivery.days.map(presentDay),
    ...(options.windows && { windows: options.windows }),
  }
}

/** {@link presentInSteps}, for one media buy alone. */
export function presentBuyDelivery(reported: ReportedBuy, options: Options): MediaBuyDelivery {
  return atOnce(presentInSteps(reported, options))
}

function presentPackageDelivery(
  pkg: Package,
  { buy, creatives, delivery, soFar, conversions, items, breakdowns }: ReportedBuy,
  options: Options,
): PackageDelivery {
  const sum: DeliverySum | undefined = delivery.packages.get(pkg.packageId)
  const total = sum?.total ?? NOTHING
  const shown = items?.get(pkg.packageId)
  const whole = soFar.packages.get(pkg.packageId)?.total ?? NOTHING
  const state = deliveryStatus(buy, pkg, { total: whole, creatives }, options.now)
  const pacing = pacingIndex(pkg, whole, options.now)
  const metrics = {
    ...presentMetrics(total),
    ...presentTypes(total, conversions?.get(pkg.packageId) ?? []),
    spend: microsToAmount(total.spendMicros),
    ...(buy.packages.length === 1 && recordedAudience([pkg])),
  }
  const missing = missingMetrics(pkg, metrics, options.until)
  return {
    package_id: pkg.packageId,
    ...metrics,
    pricing_model: pkg.pricing.model,
    rate: microsToAmount(pkg.terms.rateMicros),
    currency: pkg.pricing.currency,
    paused: pkg.paused,
    // A report has no word for what is due and does not run; it says nothing then.
    ...(state && state !== 'not_delivering' && { delivery_status: state }),
    ...(pacing !== undefined && { pacing_index: pacing }),
    ...(missing.length > 0 && { missing_metrics: missing }),
    ...countOf(pkg, options.now),
    ...(shown && { by_catalog_item: shown.map(presentItem) }),
    ...breakdowns?.get(pkg.packageId),
    ...(options.daily && { daily_breakdown: (sum?.days ?? []).map(presentDay) }),
  }
}

/** Figures of a package change no more once its flight is over, unless somebody else counts on and says how far that is. */
function countOf(pkg: Package, now: Date): RecordedCount {
  const { endsAt } = pkg.terms
  return (
    recordedCount(pkg) ?? (now.getTime() >= Date.parse(endsAt) ? { is_final: true, finalized_at: endsAt } : { is_final: false })
  )
}

/** A report is final when that of every package is, and since the last of them (3.1, `is_final`, `finalized_at`). */
function finalityOf({ packages }: MediaBuy, now: Date): { is_final: boolean; finalized_at?: string } {
  const counts = packages.map((pkg) => countOf(pkg, now))
  if (counts.length === 0 || !counts.every(({ is_final }) => is_final)) return { is_final: false }
  const [last = ''] = counts.map(({ finalized_at = '' }) => finalized_at).toSorted((a, b) => b.localeCompare(a))
  return { is_final: true, finalized_at: last }
}

/** Near-real-time figures of a package for get_media_buys; the simulator and reports are computed on demand, so nothing is stale. */
export function presentSnapshot(buy: MediaBuy, pkg: Package, counted: Counted, now: Date): ShownSnapshot {
  const { total } = counted
  const state = deliveryStatus(buy, pkg, counted, now)
  const pacing = pacingIndex(pkg, total, now)
  return {
    as_of: now.toISOString(),
    staleness_seconds: 0,
    impressions: total.impressions,
    spend: microsToAmount(total.spendMicros),
    currency: pkg.pricing.currency,
    clicks: total.clicks,
    ...(pacing !== undefined && { pacing_index: pacing }),
    ...(state && { delivery_status: state }),
  }
}

/** Conversions by kind, where they are all known by kind: those that the ad server counted, or that were recorded, are not. */
function presentTypes({ conversions: total }: Metrics, types: readonly ConversionsByType[]) {
  if (types.length === 0 || types.reduce((sum, { count }) => sum + count, 0) !== total) return {}
  const leads = types.filter(({ eventType }) => eventType === 'lead').reduce((sum, { count }) => sum + count, 0)
  return {
    ...(leads > 0 && { leads }),
    by_event_type: types.map(({ eventType, eventSourceId, count, valueMicros }) => ({
      event_type: eventType,
      event_source_id: eventSourceId,
      count,
      ...(valueMicros > 0 && { value: microsToAmount(valueMicros) }),
    })),
  }
}

/** Delivery of one item of a package's catalog, with the events that were about it. */
export interface ItemDelivery {
  readonly contentId: string
  readonly contentIdType: ContentIdType | undefined
  readonly impressions: number
  readonly spendMicros: number
  readonly conversions: number
  readonly conversionValueMicros: number
}

function presentItem({ contentId, contentIdType, ...counts }: ItemDelivery): ShownItem {
  return {
    content_id: contentId,
    ...(contentIdType && { content_id_type: contentIdType }),
    impressions: counts.impressions,
    spend: microsToAmount(counts.spendMicros),
    ...(counts.conversions > 0 && { conversions: counts.conversions }),
    ...presentValue({ ...NOTHING, ...counts }),
  }
}

function presentDay({ day, impressions, spendMicros, conversions, conversionValueMicros: value }: DayMetrics) {
  return {
    date: day,
    impressions,
    spend: microsToAmount(spendMicros),
    ...(conversions > 0 && { conversions }),
    ...(value > 0 && { conversion_value: microsToAmount(value), ...(spendMicros > 0 && { roas: rounded(value / spendMicros) }) }),
  }
}

/** What a package delivered until now, and the creatives that it has now. */
interface Counted {
  readonly total: Metrics
  readonly creatives: CreativeFacts
}

/** Operational state of a package; absent before its flight. What was canceled or refused ends there; what is paused, has no creative that can be shown, or has counted nothing does not deliver. */
function deliveryStatus(buy: MediaBuy, pkg: Package, { total, creatives }: Counted, now: Date) {
  const { terms, pricing } = pkg
  if (now.getTime() < Date.parse(terms.startsAt)) return undefined
  const ended = now.getTime() >= Date.parse(terms.endsAt)
  const spent = total.spendMicros >= commitmentMicros(pricing, terms) && isBilledByUnit(pricing.model)
  const goal = terms.impressions ?? flatGoal(pkg)
  const met = goal !== undefined && total.impressions >= goal
  if (ended) return spent || met || (goal === undefined && !isBilledByUnit(pricing.model)) ? 'completed' : 'flight_ended'
  if (met) return 'goal_met'
  if (spent) return 'budget_exhausted'
  if ((pkg.cancellation ?? buy.cancellation ?? buy.rejection) !== undefined) return 'flight_ended'
  const isCounted = total.impressions > 0 || total.spendMicros > 0
  return isCounted && canServe(pkg, creatives) ? 'delivering' : 'not_delivering'
}

/** A pace can be told after a day, or after a tenth of a shorter flight: before, a single impression or a count that arrives late decides the figure. */
const PACE_AFTER_MS = 86_400_000

/**
 * Delivery until now against that of an even pace (1.0 = on track), in hundredths, and of less than a tenth its first two digits, so that what delivers is never 0: the spend, and of a flat price, which is
 * earned whatever is delivered, the impressions where a number of them is planned. Absent before the flight, while it is too early to say, and for packages that cost nothing.
 */
export function pacingIndex(
  pkg: Pick<Package, 'terms' | 'pricing'>,
  total: Pick<Metrics, 'spendMicros' | 'impressions'>,
  now: Date,
): number | undefined {
  const { terms, pricing } = pkg
  const [start, end] = [Date.parse(terms.startsAt), Date.parse(terms.endsAt)]
  const elapsed = Math.min(now.getTime(), end) - start
  if (elapsed <= 0 || elapsed < Math.min(PACE_AFTER_MS, (end - start) / 10)) return undefined
  const goal = flatGoal(pkg)
  const expected = mulDiv(goal ?? commitmentMicros(pricing, terms), elapsed, end - start)
  if (expected <= 0) return undefined
  const index = (goal === undefined ? total.spendMicros : total.impressions) / expected
  return index < 0.1 ? Number(index.toPrecision(2)) : Math.round(index * 100) / 100
}
