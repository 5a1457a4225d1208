import { unitsChargedMicros } from '../../domain/ad-serving/charged.ts'
import { DAY_MS, HOUR_MS, hourOf } from '../../domain/calendar/instant.ts'
import { type LocalCalendar, localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { type DayMetrics, difference, type Metrics } from '../../domain/media-buy/delivery.ts'
import type { OrderTerms } from '../../domain/media-buy/media-buy.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import { impressionsFor } from '../../domain/media-buy/planned-impressions.ts'
import { commitmentMicros, isBilledByUnit, unitsFor } from '../../domain/media-buy/pricing.ts'
import { minorUnitMicros, mulDiv } from '../../domain/money.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import type { BookedLine } from '../ad-server.ts'

/** Channels whose ads are watched or heard through, and so have views and completions. */
const TIMED_CHANNELS = ['olv', 'ctv', 'linear_tv', 'streaming_audio', 'podcast', 'radio', 'cinema']

/** Parts per million: pacing is computed in integers so that it never depends on rounding. */
const WHOLE = 1_000_000

/**
 * What a line has delivered at `now`, as cumulative counts. A pure replay of the line's history: between two facts (a changed order, a bound of
 * the flight or of a serving window, a recorded figure, a judgement of the buyer) the remaining budget is paced over the remaining flight. It grows
 * with `now`, never exceeds the commitment, and is all of it that buys whole units at the end of an undisturbed flight.
 */
export function deliveredAt(line: BookedLine, now: number): Metrics {
  const spentAtRate = new Map<number, number>()
  let spent = 0
  let flat = 0
  let today = { day: '', micros: 0 }
  for (const { from, until, terms } of stretches(line, now)) {
    const end = Date.parse(terms.endsAt)
    const elsewhere = recordedBefore(line, from)
    const share = steered(paced(terms.pacing, from, Math.min(until, now), end), judgedAt(line, from))
    const remaining = Math.max(0, commitmentMicros(line.pricing, terms) - spent - elsewhere)
    const day = dayIn(from)
    if (day !== today.day) today = { day, micros: 0 }
    const spend = Math.min(mulDiv(remaining, share, WHOLE), Math.max(0, mostOfDay(line, terms) - today.micros))
    today.micros += spend
    spent += spend
    spentAtRate.set(terms.rateMicros, (spentAtRate.get(terms.rateMicros) ?? 0) + spend)
    const expected = terms.impressions ?? line.pricing.estimatedImpressions ?? 0
    flat += mulDiv(Math.max(0, expected - flat), share, WHOLE)
  }
  const { model } = line.pricing
  const byUnit = isBilledByUnit(model) && line.pricing.fixedMicros !== 0
  const units = [...spentAtRate].reduce((sum, [rate, micros]) => sum + unitsFor(model, micros, rate), 0)
  const charged = [...spentAtRate].reduce(
    (sum, [rate, micros]) => sum + costOfUnits(model, unitsFor(model, micros, rate), rate),
    0,
  )
  // What delivery costs is quantity × rate to the micro, to the end of the flight: what is left of a budget buys no further unit.
  return metricsOf(line, byUnit ? charged : payable(spent, line), units, byUnit ? impressionsFor(model, units) : flat)
}

/** Daily delivery up to `now`: differences of the cumulative counts, so the days add up to the whole exactly. */
export function deliveredByDay(
  line: BookedLine,
  now: number,
  { dayOf, startOf }: LocalCalendar = localCalendar('UTC'),
): DayMetrics[] {
  const first = Math.min(...line.terms.map((terms) => Date.parse(terms.startsAt)))
  const last = Math.min(now, Math.max(...line.terms.map((terms) => Date.parse(terms.endsAt))))
  const days: DayMetrics[] = []
  let before = deliveredAt(line, first)
  let day = dayOf(new Date(first))
  for (let start = first; start < last; day = nextDay(day)) {
    const end = startOf(nextDay(day)).getTime()
    const after = deliveredAt(line, Math.min(last, end))
    days.push({ ...difference(after, before), day })
    before = after
    start = end
  }
  return days
}

/** What a line delivers in an hour of UTC, `YYYY-MM-DDTHH`: hours add up to days exactly. */
export function deliveredInHour(line: BookedLine, hour: string): Metrics {
  const start = Date.parse(hourOf(hour))
  return difference(deliveredAt(line, start + HOUR_MS), deliveredAt(line, start))
}

const dayIn = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The most that a line costs in a UTC day, in micros, in whole units of its price; Infinity without a limit. Of the limit of the media buy each package has its part. */
function mostOfDay({ pricing: { model, fixedMicros } }: BookedLine, { dailyCap, rateMicros }: OrderTerms): number {
  const { ownMicros = Number.POSITIVE_INFINITY, portionMicros = Number.POSITIVE_INFINITY } = dailyCap ?? {}
  const most = Math.min(ownMicros, portionMicros)
  if (most === Number.POSITIVE_INFINITY || !isBilledByUnit(model) || fixedMicros === 0 || rateMicros === 0) return most
  return costOfUnits(model, unitsFor(model, most, rateMicros), rateMicros)
}

/** Points are counted in thousandths here. */
function costOfUnits(model: PricingModel, units: number, rateMicros: number): number {
  return model === 'cpp' ? mulDiv(units, rateMicros, 1000) : unitsChargedMicros(model, units, rateMicros)
}

interface Stretch {
  readonly from: number
  readonly until: number
  readonly terms: OrderTerms
}

/** Stretches up to `now` in which the line ran: one version of the order, inside its flight, running, with an ad to serve. */
function* stretches(line: BookedLine, now: number): Generator<Stretch> {
  const cuts = new Set<number>()
  for (const terms of line.terms) for (const time of [terms.from, terms.startsAt, terms.endsAt]) cuts.add(Date.parse(time))
  for (const { from, until } of line.serving) for (const time of [from, until]) if (time !== undefined) cuts.add(Date.parse(time))
  for (const { at } of [...line.recorded, ...(line.feedback ?? [])]) cuts.add(Date.parse(at))
  if (line.terms.some(({ dailyCap }) => dailyCap)) for (const day of daysOf(line, now)) cuts.add(day)
  const times = [...cuts].filter((time) => time < now).sort((a, b) => a - b)
  for (const [index, from] of times.entries()) {
    const until = times[index + 1] ?? now
    const terms = line.terms.findLast((version) => Date.parse(version.from) <= from)
    if (!terms?.running || from < Date.parse(terms.startsAt) || from >= Date.parse(terms.endsAt)) continue
    const serves = line.serving.some(
      (window) => Date.parse(window.from) <= from && (window.until === undefined || from < Date.parse(window.until)),
    )
    if (serves) yield { from, until, terms }
  }
}

/** Beginnings of the UTC days of a line, up to `now`. */
function* daysOf({ terms }: BookedLine, now: number): Generator<number> {
  const last = Math.min(now, Math.max(...terms.map(({ endsAt }) => Date.parse(endsAt))))
  const first = Math.min(...terms.map(({ startsAt }) => Date.parse(startsAt)))
  for (let day = (Math.floor(first / DAY_MS) + 1) * DAY_MS; day < last; day += DAY_MS) yield day
}

/** Share of what remains at `from` that is delivered by `at`, in millionths; all of it at `end`. */
function paced(pacing: Pacing, from: number, at: number, end: number): number {
  const linear = mulDiv(at - from, WHOLE, end - from)
  switch (pacing) {
    case 'even':
      return linear
    case 'asap':
      // As fast as the inventory allows: a quarter of the remaining flight.
      return Math.min(WHOLE, linear * 4)
    case 'front_loaded':
      return WHOLE - mulDiv(WHOLE - linear, WHOLE - linear, WHOLE)
  }
}

/** How the buyer judges the line from `time` on, in hundredths; 100 is as expected. */
function judgedAt({ feedback = [] }: BookedLine, time: number): number {
  const index = feedback.findLast(({ at }) => Date.parse(at) <= time)?.index ?? 1
  return Math.round(Math.min(MOST_INDEX, Math.max(LEAST_INDEX, index)) * 100)
}

/** Beyond these a judgement changes the pace no further: nothing serves faster than `asap`, and a budget is not abandoned. */
const MOST_INDEX = 4
const LEAST_INDEX = 0.1

/**
 * A share as the buyer's judgement bends it: what performs better than expected is delivered that much faster; what performs worse is held back that much and
 * made up for towards the end, as fast as the inventory allows, since the budget is still ordered.
 */
function steered(share: number, hundredths: number): number {
  if (hundredths >= 100) return Math.min(WHOLE, mulDiv(share, hundredths, 100))
  return Math.max(mulDiv(share, hundredths, 100), WHOLE - 4 * (WHOLE - share))
}

function recordedBefore(line: BookedLine, time: number): number {
  return line.recorded.reduce((sum, entry) => (Date.parse(entry.at) <= time ? sum + entry.spendMicros : sum), 0)
}

/** What is paid for a flight knows no fractions of a cent: what is not yet a whole one shows with the next. */
function payable(micros: number, { pricing: { currency } }: BookedLine): number {
  return micros - (micros % minorUnitMicros(currency))
}

function metricsOf(line: BookedLine, spendMicros: number, units: number, impressions: number): Metrics {
  const { model } = line.pricing
  const timed = line.channels.some((channel) => TIMED_CHANNELS.includes(channel))
  const own = (wanted: PricingModel, otherwise: number) => (model === wanted ? units : otherwise)
  // Who sees all of a video has viewed it: there are no more completed views than views.
  const completedViews = own('cpcv', timed ? mulDiv(own('cpv', impressions), 8, 10) : 0)
  return {
    spendMicros,
    impressions,
    clicks: own('cpc', Math.floor(impressions / (timed ? 1000 : 400))),
    views: own('cpv', completedViews),
    completedViews,
    viewableImpressions: own('vcpm', mulDiv(impressions, 7, 10)),
    conversions: own('cpa', 0),
    conversionValueMicros: 0,
    milliPoints: own('cpp', 0),
  }
}
