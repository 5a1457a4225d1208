import { count, invalidParam, oneOf, type Params, requiredText } from '../../domain/compliance/params.ts'
import type { MediaBuy, RecordedAudience, RecordedCount } from '../../domain/media-buy/media-buy.ts'
import { recordDelivery, recordedAudience } from '../../domain/media-buy/record-delivery.ts'
import { budgetToMicros, microsToAmount } from '../../domain/money.ts'
import type { ReachUnit } from '../../domain/product/forecast.ts'
import { REACH_UNITS } from '../../domain/product/forecast.ts'
import { isObject } from '../../protocol/is-object.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import type { Scenario } from './scenario.ts'

/** `simulate_delivery`: figures that the ad server does not report itself; each call adds to them. They are of `delivery_date` (a day of UTC), or of now. */
export const simulateDelivery: Scenario = async (params, { tx, principal, services, now }) => {
  const mediaBuyId = requiredText(params, 'media_buy_id')
  const [impressions, clicks, conversions] = [count(params, 'impressions'), count(params, 'clicks'), count(params, 'conversions')]
  const buy = await getMediaBuy(tx, principal, mediaBuyId)
  const spendMicros = spendOf(params, buy)
  const audience = audienceOf(params, buy) ?? cappedAudience(buy, impressions)
  const counted = countOf(params)
  // The schema is compiled with its first use, which takes long.
  for (const { schemas } of audience ? services.contracts.all : []) {
    const [issue] = schemas.validator('core/delivery-metrics.json')({ ...audience })
    if (issue) throw invalidParam(issue.pointer.slice(1).replaceAll('/', '.'), issue.message)
  }
  const figures = {
    impressions,
    clicks,
    conversions,
    spendMicros,
    ...(params.completed_views !== undefined && { completedViews: count(params, 'completed_views') }),
    ...(audience && { audience }),
    ...(counted && { counted }),
  }
  const after = recordDelivery(buy, figures, deliveredAt(params) ?? now)
  await saveMediaBuy(tx, principal, buy, after)
  return {
    success: true,
    simulated: { impressions, clicks, conversions, ...audience, reported_spend: amountOf(spendMicros, buy) },
    cumulative: { ...cumulativeOf(after), ...recordedAudience(after.packages) },
  }
}

/** The begin of the day that the figures are of (AdCP 3.2, simulate_delivery `delivery_date`); undefined where none is named. */
function deliveredAt({ delivery_date: day }: Params): Date | undefined {
  if (day === undefined) return undefined
  const at = new Date(typeof day === 'string' ? `${day}T00:00:00.000Z` : Number.NaN)
  if (!Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === day) return at
  throw invalidParam('delivery_date', 'must be a day that exists, as YYYY-MM-DD')
}

/** Reach, frequency and viewability, which replace those of earlier calls (AdCP 3.1, simulate_delivery). */
function audienceOf(params: Params, buy: MediaBuy): RecordedAudience | undefined {
  const { reach, frequency, reach_window, viewability, vendor_metric_values: vendorMetrics } = params
  const audience = {
    ...(reach !== undefined && { reach: figure(reach, 'reach'), reach_unit: reachUnit(params, buy) }),
    ...(frequency !== undefined && { frequency: figure(frequency, 'frequency') }),
    ...(isObject(reach_window) && { reach_window }),
    ...(isObject(viewability) && { viewability }),
    ...(Array.isArray(vendorMetrics) && { vendor_metric_values: vendorMetrics.filter(isObject) }),
  }
  return Object.keys(audience).length > 0 ? audience : undefined
}

/**
 * Whom delivery under a frequency cap reached at the least, where nobody says it: each has seen as much as the cap allows. A seller that declares
 * `frequency_capping` reports reach and frequency (AdCP 3.1, get-adcp-capabilities-response.json).
 */
function cappedAudience({ packages }: MediaBuy, impressions: number): RecordedAudience | undefined {
  const caps = packages.flatMap(({ targetingOverlay }) => targetingOverlay?.frequency_cap?.max_impressions ?? [])
  const before = packages.flatMap(({ recorded }) => recorded).reduce((total, entry) => total + entry.impressions, 0)
  const seen = before + impressions
  if (caps.length === 0 || seen === 0) return undefined
  const reach = Math.ceil(seen / Math.max(1, Math.min(...caps)))
  return { reach, reach_unit: 'individuals', frequency: Math.round((seen / reach) * 100) / 100 }
}

/** How far the count is (AdCP 3.1, simulate_delivery: `is_final`, `finalized_at`, `measurement_window`). */
function countOf({ is_final: isFinal, finalized_at: at, measurement_window: window }: Params): RecordedCount | undefined {
  if (isFinal === undefined && at === undefined && window === undefined) return undefined
  if (isFinal !== undefined && typeof isFinal !== 'boolean') throw invalidParam('is_final', 'must be true or false')
  if (isFinal && (typeof at !== 'string' || Number.isNaN(Date.parse(at))))
    throw invalidParam('finalized_at', 'must be the date-time of the last count, because is_final is true')
  if (window !== undefined && (typeof window !== 'string' || window === '' || window.length > LONGEST_WINDOW))
    throw invalidParam('measurement_window', 'must be the id of a window')
  return {
    is_final: isFinal === true,
    ...(isFinal === true && typeof at === 'string' && { finalized_at: at }),
    ...(typeof window === 'string' && { measurement_window: window }),
  }
}

/** Longest id of a window of measurement, characters. */
const LONGEST_WINDOW = 100

/** What is counted: as the buyer optimises for, people where nothing says otherwise (enums/reach-unit.json). */
function reachUnit({ reach_unit: named }: Params, { packages }: MediaBuy): ReachUnit {
  if (named !== undefined) return oneOf<ReachUnit>(named, REACH_UNITS, 'reach_unit')
  const goals = packages.flatMap(({ optimizationGoals = [] }) => optimizationGoals)
  return goals.flatMap((goal) => (goal.kind === 'metric' ? (goal.reach_unit ?? []) : []))[0] ?? 'individuals'
}

function figure(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw invalidParam(name, 'must be a number of 0 or more')
}

function spendOf({ reported_spend: spend }: Params, { currency }: MediaBuy): number {
  if (spend === undefined) return 0
  if (!isObject(spend) || typeof spend.amount !== 'number') throw invalidParam('reported_spend', 'must have an amount')
  if (spend.currency !== undefined && spend.currency !== currency)
    throw invalidParam('reported_spend.currency', `must be ${currency}, the currency of the media buy`)
  return budgetToMicros(spend.amount, currency, 'params.reported_spend.amount')
}

function cumulativeOf(buy: MediaBuy): object {
  const entries = buy.packages.flatMap((pkg) => pkg.recorded)
  const sum = (read: (entry: (typeof entries)[number]) => number) => entries.reduce((total, entry) => total + read(entry), 0)
  return {
    impressions: sum((entry) => entry.impressions),
    clicks: sum((entry) => entry.clicks),
    conversions: sum((entry) => entry.conversions),
    reported_spend: amountOf(
      sum((entry) => entry.spendMicros),
      buy,
    ),
  }
}

function amountOf(micros: number, { currency }: MediaBuy): object {
  return { amount: microsToAmount(micros), currency }
}
