import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { microsToAmount, minorUnitMicros, mulDiv } from '../money.ts'
import { daysIn, firstDayOf, type Period } from './calendar-period.ts'
import { dayText } from './flight.ts'
import type { Holding, PeriodChange } from './inventory.ts'
import type { OrderTerms, Package } from './media-buy.ts'
import { isBilledByUnit } from './pricing.ts'
import { shownRoom } from './shown-room.ts'

/** What of a booking a product has no room for. */
export interface Shortage {
  /** Impressions of the booking. */
  readonly requested: number
  /** Impressions of an even spread over the same days that fit, as buyers see it. */
  readonly fits: number
  /** Days (YYYY-MM-DD) on which too little is left for the booking, in order; the first {@link MOST_DAYS}. */
  readonly shortDays: readonly string[]
  /** How many such days there are. */
  readonly shortDayCount: number
  /** Those of these days on which nothing is left. */
  readonly fullDays: readonly string[]
  /** Impressions that all days of the flight have left together, where that is known. */
  readonly available?: number
  /** Set where that is what the open hours of a booking have. */
  readonly inOpenHours?: true
}

/** The most days that an error lists. */
const MOST_DAYS = 31
/** The most days that a sentence names. */
const MOST_NAMED = 5

/**
 * What a booking lacks; undefined where all of it fits. `wanted`: what it takes of each day of a period. `roomIn`: what each day of a period has left, at least, for a part of
 * the booking that takes `delta` of it; it is asked about single days too. An even spread of `fits` fits on every day: a day takes a share rounded up.
 */
export function shortageOf(
  wanted: readonly PeriodChange[],
  roomIn: (period: Period, delta: number) => number,
): Shortage | undefined {
  const isShort = wanted.some(({ period, delta }) => delta > 0 && delta > roomIn(period, delta))
  return isShort ? shownShortageOf(wanted, roomIn) : undefined
}

/**
 * What a booking lacks by what buyers may see of each day ({@link shownRoom}); undefined where all of it fits in that. What is said of a refused booking goes by this: flights of many lengths, days that are listed or not,
 * and products that are named or not would tell what others ordered.
 */
export function shownShortageOf(
  wanted: readonly PeriodChange[],
  roomIn: (period: Period, delta: number) => number,
): Shortage | undefined {
  const shown = (period: Period, delta: number) => shownRoom(roomIn(period, delta))
  return shortIn(wanted, shown, (room, delta, requested) => mulDiv(Math.max(0, room - 1), requested, delta + 1))
}

/** What a booking lacks of what its buyer knows to the impression, such as what it may hold without an order; undefined where all of it fits. */
export function exactShortageOf(wanted: readonly PeriodChange[], roomIn: (period: Period) => number): Shortage | undefined {
  return shortIn(wanted, roomIn, (room, delta, requested) => mulDiv(Math.max(0, room), requested, delta))
}

/** `fitting`: how much of what is requested fits where a day that takes `delta` of it has `room`. */
function shortIn(
  wanted: readonly PeriodChange[],
  roomIn: (period: Period, delta: number) => number,
  fitting: (room: number, delta: number, requested: number) => number,
): Shortage | undefined {
  const taking = wanted.filter(({ delta }) => delta > 0)
  const full = taking.filter(({ period, delta }) => delta > roomIn(period, delta))
  if (full.length === 0) return undefined
  const requested = taking.reduce((sum, { period, delta }) => sum + delta * daysIn(period), 0)
  const fits = Math.min(...full.map(({ period, delta }) => fitting(roomIn(period, delta), delta, requested)))
  const days = full.flatMap(({ period, delta }) =>
    daysOf(period)
      .map((day) => ({ day, room: roomIn(day, delta) }))
      .filter(({ room }) => delta > room),
  )
  const short = days.slice(0, MOST_DAYS)
  const fullDays = short.filter(({ room }) => room <= 0).map(({ day }) => day)
  return { requested, fits, shortDays: short.map(({ day }) => day), shortDayCount: days.length, fullDays }
}

/** The days of a period, which is a century at most. */
function daysOf(period: Period): string[] {
  if (period.length === 10) return [period]
  const first = firstDayOf(period)
  return Array.from({ length: daysIn(period) }, (_, index) => dayText(first + index))
}

/** A shortage of inventory in words: on which days too little is left, and how much of the booking fits. */
export function shortageWords(shortage: Shortage): string {
  const { requested, fits } = shortage
  const days = daysInWords(shortage)
  const named = days === '' ? '' : `too little is left on ${days}; `
  return `${named}${fits === 0 ? `nothing of the ${requested} impressions fits` : `${fits} of the ${requested} impressions fit`}`
}

/** Why less fits than all days have left together, in words. */
function unevenWords({ fits, available, inOpenHours }: Shortage): string {
  return available !== undefined && available > fits
    ? `; all ${inOpenHours ? 'its hours in' : 'days of'} the flight have ${available} left together (available_impressions), but an order is spread evenly over them (fitting_impressions)`
    : ''
}

/** In words, how much of a plan can be held without an order, where a hold has a limit of its own: what is left to sell is another number. */
export function holdLimitWords(shortage: Shortage): string {
  const { requested, fits } = shortage
  const days = daysInWords(shortage)
  return `it takes more${days === '' ? '' : ` on ${days}`}; without an order ${fits === 0 ? 'nothing' : fits} of its ${requested} impressions can be held`
}

/** The first days of a shortage, and how many more there are; empty where no day is known. */
export function daysInWords({ shortDays, shortDayCount }: Pick<Shortage, 'shortDays' | 'shortDayCount'>): string {
  const more = shortDayCount - MOST_NAMED
  return `${shortDays.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more day${more === 1 ? '' : 's'}` : ''}`
}

/** What is charged for a booking that a shortage is about. */
export interface BookedBudget {
  readonly micros: number
  readonly currency: string
  /** What is booked of the same product already, and stays. */
  readonly keptMicros?: number
  /** The least that an order of it is for; absent: anything. */
  readonly leastMicros?: number
}

/** What is charged for packages of one product, where less money buys less of each; undefined where one has a price by the flight. */
export function bookedBudget(packages: readonly Booking[]): BookedBudget | undefined {
  const [first] = packages
  const isOfDelivery = packages.every(
    ({ pricing, terms }) => pricing && terms.budgetMicros !== undefined && isBilledByUnit(pricing.model),
  )
  if (!first?.pricing || !isOfDelivery) return undefined
  const leastMicros = Math.max(...packages.map(({ pricing }) => pricing?.minSpendMicros ?? 0))
  return {
    micros: packages.reduce((sum, { terms }) => sum + (terms.budgetMicros ?? 0), 0),
    currency: first.pricing.currency,
    ...(leastMicros > 0 && { leastMicros }),
  }
}

/** What a buyer may lower a budget to, in words that begin a suggestion and in major units; no amount below the least that an order is for. */
export function lowerBudget(
  { requested, fits }: Pick<Shortage, 'requested' | 'fits'>,
  budget: BookedBudget | undefined,
): { readonly words: string; readonly payable?: number } {
  if (fits === 0) return { words: '' }
  if (!budget || budget.micros === 0) return { words: 'lower the budget, ' }
  const { currency, leastMicros = 0, keptMicros = 0 } = budget
  const micros = fittingMicros({ requested, fits }, budget)
  const payable = microsToAmount(micros)
  if (micros - keptMicros >= leastMicros) return { words: `lower the budget to ${payable} ${currency}, `, payable }
  return { words: `no lower budget helps, since an order of it is for ${microsToAmount(leastMicros)} ${currency} at least: ` }
}

/** What is to be booked; what a package costs is known of it. */
export type Booking = Holding & Partial<Pick<Package, 'pricing'>> & { readonly terms: Flight & Partial<OrderTerms> }

/** The part of a budget (micros) that buys what fits, in payable amounts, with what is booked already. */
export function fittingMicros(
  { requested, fits }: Pick<Shortage, 'requested' | 'fits'>,
  { micros, currency, keptMicros = 0 }: BookedBudget,
): number {
  const minor = minorUnitMicros(currency)
  return keptMicros + Math.floor(mulDiv(micros, Math.min(fits, requested), requested) / minor) * minor
}

/**
 * PRODUCT_UNAVAILABLE for a booking that its product has too little inventory for: on which days, which of them are full, and what would fit. `path`: of the package in the request. `budget`: of
 * the booking, where less money buys less of it.
 */
export function soldOut(productId: string, shortage: Shortage, path: string, budget?: BookedBudget): AdcpError {
  const { requested, fits, shortDays, shortDayCount, fullDays } = shortage
  const { words, payable } = lowerBudget(shortage, budget)
  return new AdcpError(
    'PRODUCT_UNAVAILABLE',
    `${productId} does not have enough inventory left in this flight: ${shortageWords(shortage)}${unevenWords(shortage)}`,
    {
      field: `${path}.product_id`,
      suggestion: `${words}move the flight, or choose a different product`,
      details: {
        product_id: productId,
        requested_impressions: requested,
        fitting_impressions: fits,
        ...(payable !== undefined && { fitting_budget: payable, currency: budget?.currency }),
        ...(shortage.available !== undefined && { available_impressions: shortage.available }),
        short_days: shortDays,
        ...(shortDayCount > shortDays.length && { short_day_count: shortDayCount }),
        ...(fullDays.length > 0 && { full_days: fullDays }),
      },
    },
  )
}
