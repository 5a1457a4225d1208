import { isObject } from '../../protocol/is-object.ts'
import type { Flight } from '../calendar/flight.ts'
import type { PricingOption } from './pricing-option.ts'

/** Between the id of a listed option and the season that its price is of. */
const MARK = ':season-'

/** What a fixed price of a product is for flights that start in some days of the year. */
export interface Season {
  readonly id: string
  /** First and last day on which such a flight starts, `YYYY-MM-DD` UTC. */
  readonly from: string
  readonly until: string
  /** The option whose price it changes; absent: every fixed price of the product. */
  readonly optionId?: string
  /** By how much, up or down; or the price itself, in major units. One of both. */
  readonly percent?: number
  readonly price?: number
}

/** First and last day on which flights of a season start. */
interface SeasonDays {
  readonly season_id: string
  readonly starts_from: string
  readonly starts_until: string
}

/** The start days for which a price holds: those of its season or, for the listed price, all days outside of the seasons. */
export interface StartDays {
  readonly season?: SeasonDays
  readonly other_seasons?: readonly SeasonDays[]
}

/** Whether a season is of an option. Auctions have none: their price is what is bid. */
export function isSeasonOf({ optionId }: Pick<Season, 'optionId'>, option: PricingOption): boolean {
  return option.fixed_price !== undefined && (optionId === undefined || optionId === option.pricing_option_id)
}

/**
 * The options of a product with those of its seasons: a price of a season is an option of its own after the listed one, so that who buys it gets what was shown.
 * Both say in `ext` on which days a flight at them starts.
 */
export function withSeasons(options: readonly PricingOption[], seasons: readonly Season[] = []): PricingOption[] {
  return options.flatMap((option) => {
    const own = seasons.filter((season) => isSeasonOf(season, option))
    if (own.length === 0) return [option]
    const others = own.map((season) => ({ ...daysOf(season), pricing_option_id: seasonId(option, season) }))
    return [{ ...option, ext: { ...option.ext, other_seasons: others } }, ...own.map((season) => inSeason(option, season))]
  })
}

/** The id of the option that an option is in a season. */
export function seasonId({ pricing_option_id: id }: PricingOption, season: Pick<Season, 'id'>): string {
  return `${id}${MARK}${season.id}`
}

function inSeason(option: PricingOption, season: Season): PricingOption {
  const listed = option.fixed_price ?? 0
  const price = seasonPrice(listed, season)
  const breakdown = option.price_breakdown === undefined && listed > 0 && price !== listed && breakdownOf(listed, price, season)
  return {
    ...option,
    pricing_option_id: seasonId(option, season),
    fixed_price: price,
    ...(breakdown && { price_breakdown: breakdown }),
    ext: { ...option.ext, season: daysOf(season) },
  }
}

/** A listed price in a season, to the millionth of a unit. */
export function seasonPrice(listed: number, { percent = 0, price }: Pick<Season, 'percent' | 'price'>): number {
  return price ?? Math.round(listed * (100 + percent) * 10_000) / 1_000_000
}

/** How the price came about, as every release shows it (AdCP pricing-options/price-breakdown.json). */
function breakdownOf(listed: number, price: number, season: Season): PricingOption['price_breakdown'] {
  const { percent } = season
  const part = Math.abs(percent ?? 0) / 100
  const change = part > 0 && part < 1 ? { rate: part } : { amount: Math.round(Math.abs(price - listed) * 1e6) / 1e6 }
  const kind = price > listed ? 'fee' : 'discount'
  const days = `for flights that start from ${season.from} to ${season.until}`
  return { list_price: listed, adjustments: [{ kind, name: `season ${season.id}`.slice(0, 64), ...change, description: days }] }
}

function daysOf({ id, from, until }: Season): SeasonDays {
  return { season_id: id, starts_from: from, starts_until: until }
}

/** The days on which flights at a price start, as the `ext` of its option says; undefined: any. */
export function startDaysOf({ ext }: { readonly ext?: unknown }): StartDays | undefined {
  if (!isObject(ext)) return undefined
  const season = seasonIn(ext.season)
  if (season) return { season }
  const others = Array.isArray(ext.other_seasons) ? ext.other_seasons.flatMap((each) => seasonIn(each) ?? []) : []
  return others.length > 0 ? { other_seasons: others } : undefined
}

function seasonIn(value: unknown): SeasonDays | undefined {
  if (!isObject(value)) return undefined
  const { season_id, starts_from, starts_until } = value
  return [season_id, starts_from, starts_until].every((each) => typeof each === 'string')
    ? { season_id: String(season_id), starts_from: String(starts_from), starts_until: String(starts_until) }
    : undefined
}

/** Whether a flight at a price may start on a day (`YYYY-MM-DD` UTC). */
export function mayStart({ season, other_seasons = [] }: StartDays = {}, day: string): boolean {
  const isIn = ({ starts_from: from, starts_until: until }: SeasonDays) => from <= day && day <= until
  return season ? isIn(season) : !other_seasons.some(isIn)
}

/** The day of UTC on which a flight starts. */
export function startDay({ startsAt }: Pick<Flight, 'startsAt'>): string {
  return startsAt.slice(0, 10)
}

/** Days on which flights at a price start, in words. */
export function startWords({ season, other_seasons = [] }: StartDays): string {
  const words = ({ starts_from: from, starts_until: until }: SeasonDays) => `from ${from} to ${until}`
  return season ? words(season) : `on other days than ${other_seasons.map(words).join(' and ')}`
}

/** The id of the option that an answer has for a listed one: itself, or that of a season; the same id where the answer has neither. */
export function seasonalId(options: readonly PricingOption[], id: string): string {
  if (options.some((option) => option.pricing_option_id === id)) return id
  return options.find((option) => rootOf(option) === id)?.pricing_option_id ?? id
}

/** Of the options of a product, what an option is for flights that start on a day; undefined for one that is none of its. */
export function optionStarting(
  options: readonly PricingOption[],
  { pricing_option_id: id }: PricingOption,
  day: string,
): PricingOption | undefined {
  return options.find((each) => {
    const root = rootOf(each)
    return mayStart(startDaysOf(each), day) && (id === root || id.startsWith(`${root}:`))
  })
}

function rootOf({ pricing_option_id: id }: PricingOption): string {
  const at = id.indexOf(MARK)
  return at === -1 ? id : id.slice(0, at)
}

/** The position of the first season that shares a day with an earlier one of the same option, and that one; undefined where none does. */
export function overlapOf(seasons: readonly Season[]): { readonly at: number; readonly with: Season } | undefined {
  for (const [at, season] of seasons.entries()) {
    const clash = seasons.slice(0, at).find((other) => shareDays(season, other) && shareOption(season, other))
    if (clash) return { at, with: clash }
  }
  return undefined
}

function shareDays(a: Season, b: Season): boolean {
  return a.from <= b.until && b.from <= a.until
}

function shareOption(a: Season, b: Season): boolean {
  return a.optionId === undefined || b.optionId === undefined || a.optionId === b.optionId
}
