import { chargedMicros, dayPriceMicros, flatDayMicros, unitsChargedMicros } from '../ad-serving/charged.ts'
import type { ServingState } from '../ad-serving/desired-order.ts'
import type { ExistingLine, LineCounters } from '../ad-serving/existing-line.ts'
import type { Flight } from '../calendar/flight.ts'
import { flightDaysOf } from '../calendar/flight-days.ts'
import { DAY_MS } from '../calendar/instant.ts'
import type { LocalCalendar } from '../calendar/local-time.ts'
import { cleanedText } from '../fit-text.ts'
import { statusOf } from '../media-buy/lifecycle.ts'
import type { Counted, ProgressPart } from '../media-buy/progress.ts'
import { type Shortfall, shortfall } from '../media-buy/shortfall.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import { hasNoPrice, isMomentOfOrder, isPrice } from './line-faults.ts'
import type { LinePricing } from './line-pricing.ts'

/** What the goal of a line counts: the units that an ad server calls by these words. */
const GOAL_UNITS = {
  IMPRESSIONS: 'impressions',
  VIEWABLE_IMPRESSIONS: 'viewableImpressions',
  CLICKS: 'clicks',
  COMPLETED_VIEWS: 'completedViews',
  VIEWS: 'views',
} as const satisfies Readonly<Record<string, keyof LineCounters>>

/** Prices by unit, as ad servers call them. */
const MODELS: Readonly<Record<string, PricingModel>> = { CPM: 'cpm', VCPM: 'vcpm', CPC: 'cpc', CPV: 'cpv', CPCV: 'cpcv' }
/** A price for each day of the flight. */
const PER_DAY = 'CPD'

/** How a line that was taken over is booked at its ad server. */
export interface BookedThere extends Flight {
  /** The ad server's own id. */
  readonly id: string
  readonly name: string
  readonly state: ServingState
  readonly goal?: { readonly counts: keyof LineCounters; readonly units: number }
  /** Its goal was promised. */
  readonly isGuaranteed: boolean
  /** What is wrong with how it was stored, see {@link readableLine}; absent: nothing. */
  readonly fault?: string
}

/** A line that was taken over: what it is charged by here, and how it is booked there. */
export interface AdoptedLine extends LinePricing {
  readonly booked: BookedThere
}

/** A line that cannot be taken over, and why. */
export interface LeftOut {
  readonly id: string
  readonly name: string
  readonly reason: string
}

/** Characters of a name: what an ad server says goes on invoices. */
const MOST_OF_NAME = 200

/** A name as one line that people can read: what no text of theirs may hold is left out. */
export function nameThere(text: string): string {
  return cleanedText(text.slice(0, MOST_OF_NAME)).replaceAll(/\s+/g, ' ').trim()
}

/** The calendar of a time zone, by its IANA name. */
interface Zone {
  readonly calendar: LocalCalendar
  readonly timeZone: string
}

/** A line of an ad server without a fault (`faultOfLine`) as it can be taken over; a price by the day counts days of the calendar, which is the publisher's. */
export function adoptable(line: ExistingLine, { calendar, timeZone }: Zone): AdoptedLine | LeftOut {
  const { id, costType, rateMicros } = line
  const [startsAt, endsAt] = [utc(line.startsAt), utc(line.endsAt)]
  const name = nameThere(line.name) || id
  const leftOut = (reason: string): LeftOut => ({ id, name, reason })
  if (startsAt === undefined || endsAt === undefined)
    return leftOut('it has no end; give it one at the ad server, then adopt the order again')
  if (!(startsAt < endsAt)) return leftOut('it ends before it starts')
  if (hasNoPrice(line)) return leftOut('it has no price; give it one at the ad server, then adopt the order again')
  const model = Object.hasOwn(MODELS, costType) ? MODELS[costType] : undefined
  if (model === undefined && costType !== PER_DAY)
    return leftOut(
      `its price is "${costType.slice(0, 50)}"; lines can be adopted that cost ${[...Object.keys(MODELS), PER_DAY].join(', ')}`,
    )
  const counts =
    line.goal && Object.hasOwn(GOAL_UNITS, line.goal.unit) ? GOAL_UNITS[line.goal.unit as keyof typeof GOAL_UNITS] : undefined
  const goal = counts && line.goal && { counts, units: line.goal.units }
  const booked: BookedThere = {
    ...{ id, name, startsAt, endsAt, state: line.isArchived ? 'ended' : (line.state ?? 'active') },
    ...(goal && { goal }),
    isGuaranteed: line.isGuaranteed === true,
  }
  if (model !== undefined) return { model, rateMicros, booked }
  const priceMicros = rateMicros * daysOf({ startsAt, endsAt }, calendar)
  if (!Number.isSafeInteger(priceMicros)) return leftOut('its price for the whole flight is too large')
  return {
    model: 'flat_rate',
    rateMicros: priceMicros,
    flight: { startsAt, endsAt },
    dayRateMicros: rateMicros,
    timeZone,
    booked,
  }
}

/** A moment as texts of them are compared. */
function utc(moment: string | undefined): string | undefined {
  return moment === undefined ? undefined : new Date(moment).toISOString()
}

/** Days of a flight in a calendar, those that it has in part included. */
function daysOf(flight: Flight, calendar: LocalCalendar): number {
  const { first, last } = flightDaysOf(flight, calendar)
  return Math.round((Date.parse(last.day) - Date.parse(first.day)) / DAY_MS) + 1
}

export function isLeftOut(line: AdoptedLine | LeftOut): line is LeftOut {
  return 'reason' in line
}

/**
 * A line as it can be shown and charged: earlier versions stored what an ad server said, such as an end of "never". A moment that is none is the other one of its flight, else `since`; a price that is
 * none is 0, and a goal that is none is left out. The line has ended, and its fault names the member.
 */
export function readableLine(stored: AdoptedLine, since: string): AdoptedLine {
  const { booked, rateMicros, dayRateMicros, flight: _flight, ...rest } = stored
  const { startsAt, endsAt, goal, ...named } = booked
  const isWrong = (moment: unknown) => !isMomentOfOrder(moment)
  const wrong = [
    ...(isWrong(startsAt) ? ['startsAt'] : []),
    ...(isWrong(endsAt) ? ['endsAt'] : []),
    ...(isPrice(rateMicros) && isPrice(dayRateMicros ?? 0) ? [] : ['price']),
    ...(goal === undefined || isPrice(goal.units - 1) ? [] : ['goal']),
  ]
  if (wrong.length === 0) return stored
  const start = isWrong(startsAt) ? (isWrong(endsAt) ? since : endsAt) : startsAt
  const flight = { startsAt: start, endsAt: isWrong(endsAt) ? start : endsAt }
  const fault = `its ${wrong.join(', ')} cannot be read as an earlier version stored it; adopt the order again`
  return {
    ...rest,
    rateMicros: wrong.includes('price') ? 0 : rateMicros,
    ...(dayRateMicros !== undefined && { dayRateMicros: wrong.includes('price') ? 0 : dayRateMicros }),
    ...(stored.flight && { flight }),
    booked: { ...named, ...flight, state: 'ended', ...(goal && !wrong.includes('goal') && { goal }), fault },
  }
}

/** The line with what it is charged by as it was adopted: what people change of a price there changes nothing that is billed. */
export function withPriceOf({ booked }: AdoptedLine, { booked: _before, ...pricing }: AdoptedLine): AdoptedLine {
  return { ...pricing, booked }
}

/** What a period of a line costs, in micros: quantity × rate; of a price by the day its days, where anything was shown. `calendarOf`: the calendar of a time zone (IANA). */
export function adoptedSpendMicros(
  line: AdoptedLine,
  counts: LineCounters,
  period: string,
  { now, calendarOf }: { readonly now: Date; calendarOf(timeZone: string): LocalCalendar },
): number {
  if (line.model !== 'flat_rate') return chargedMicros(line, counts) ?? 0
  const { flight, dayRateMicros, timeZone } = line
  if (!flight || counts.impressions === 0) return 0
  const day = period.slice(0, 10)
  if (dayRateMicros === undefined || timeZone === undefined)
    return flatDayMicros({ price: line, ...flight }, day, { calendar: calendarOf('UTC'), now })
  return dayPriceMicros({ dayRateMicros, flight }, day, { calendar: calendarOf(timeZone), now })
}

/** Status of a line as its flight, its state at the ad server and the clock imply it. One that was ended after its flight is completed. */
export function statusOfAdopted(
  { startsAt, endsAt, state }: Pick<BookedThere, 'startsAt' | 'endsAt' | 'state'>,
  now: Date,
): MediaBuyStatus {
  const isOver = Date.parse(endsAt) <= now.getTime()
  const facts = { startsAt, endsAt, paused: state === 'paused', canceled: state === 'ended' && !isOver }
  return statusOf({ ...facts, rejected: false, confirmed: true, supplied: true }, now)
}

/** The flight and the state of an order: those of its lines together. */
export function wholeOf(lines: readonly AdoptedLine[]): Pick<BookedThere, 'startsAt' | 'endsAt' | 'state'> {
  const booked = lines.map((line) => line.booked)
  const open = booked.filter(({ state }) => state !== 'ended')
  const state = open.length === 0 ? 'ended' : open.every((each) => each.state === 'paused') ? 'paused' : 'active'
  const startsAt = booked.map((each) => each.startsAt).sort()[0] ?? ''
  return {
    startsAt,
    endsAt:
      booked
        .map((each) => each.endsAt)
        .sort()
        .at(-1) ?? '',
    state,
  }
}

/** What was counted of a line. */
export type AdoptedCounts = LineCounters & Counted

/** A line as a part of its order, weighed by what it costs when it delivers its goal; undefined for one without a goal and without a flat price. */
export function partOfAdopted(line: AdoptedLine, counted: AdoptedCounts): ProgressPart | undefined {
  const { booked } = line
  const weight = plannedMicros(line)
  if (weight === undefined || booked.state === 'ended') return undefined
  const earned = weight > 0 ? counted.spendMicros / weight : 0
  const delivered = booked.goal ? counted[booked.goal.counts] / booked.goal.units : earned
  const recognized = line.model === 'flat_rate' ? earned : delivered
  // What costs nothing weighs as little as one micro: an order of such lines has progress too.
  return { startsAt: booked.startsAt, endsAt: booked.endsAt, pacing: 'even', weight: Math.max(1, weight), delivered, recognized }
}

/** What a line costs when it delivers its goal, in micros; undefined: it has neither a goal nor a flat price. */
export function plannedMicros({ model, rateMicros, booked: { goal } }: AdoptedLine): number | undefined {
  if (model === 'flat_rate') return rateMicros
  return goal && unitsChargedMicros(model, goal.units, rateMicros)
}

/** By how much a line missed what was promised; undefined: it did not, or nothing was promised. */
export function shortfallOfAdopted(line: AdoptedLine, counted: AdoptedCounts): Shortfall | undefined {
  const { goal, isGuaranteed } = line.booked
  if (!goal || !isGuaranteed) return undefined
  if (goal.counts === 'impressions') return shortfall('impressions', goal.units, counted.impressions)
  return shortfall('money', plannedMicros(line) ?? 0, counted.spendMicros)
}
