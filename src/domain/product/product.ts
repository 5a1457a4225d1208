import { type SoldFlight, slotsIn, type TimeUnit, timeUnits } from '../calendar/time-units.ts'
import type { Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import type { Season } from './season.ts'

/** `standard` products are shown to anybody; `custom` ones only to authenticated principals. */
export const VISIBILITIES = ['standard', 'custom'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** `paused` and `archived` products are not offered; an archived one stays for the media buys that refer to it. */
export const PRODUCT_STATUSES = ['active', 'paused', 'archived'] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

export interface MetroArea {
  readonly system: string
  readonly code: string
}

export interface PostalAreas {
  readonly system: string
  readonly values: readonly string[]
}

/** A point on the map that locally bound inventory covers. WGS 84 degrees. */
export interface CoveragePoint {
  readonly lat: number
  readonly lng: number
  readonly radiusKm: number
}

/** Where the inventory reaches. An absent list means: not bound to places of that level. */
export interface Coverage {
  /** ISO 3166-1 alpha-2. */
  readonly countries?: readonly string[]
  /** ISO 3166-2. */
  readonly regions?: readonly string[]
  readonly metros?: readonly MetroArea[]
  readonly postalAreas?: readonly PostalAreas[]
  readonly points?: readonly CoveragePoint[]
}

/** What a package may target on top of the product. */
export interface TargetingSupport {
  /** `country`, `region`, or `metro:<system>`, `postal_area:<system>`. */
  readonly geo: readonly string[]
  readonly keywords: boolean
  readonly frequencyCap: boolean
  readonly geoProximity: boolean
}

/** A lower price that the publisher grants when a buyer asks for one. */
export interface Discount {
  /** The most that the listed fixed prices are lowered by. */
  readonly percent: number
  /** Smallest budget of a package, in major units of the option's currency; absent: any. */
  readonly minBudget?: number
  /** Principal ids that it is for; absent: every buyer. */
  readonly buyers?: readonly string[]
}

/** Whether the rules decide, or a person. */
export const APPROVAL_MODES = ['automatic', 'manual'] as const
export type ApprovalMode = (typeof APPROVAL_MODES)[number]

/** What a seller needs to know of a product and the protocol's own shape has no field for. */
export interface Selling {
  readonly visibility: Visibility
  readonly status: ProductStatus
  /** Hours before a flight by which its creatives are due; absent: they are taken as long as it runs. */
  readonly creativeLeadHours?: number
  /** Impressions that the inventory can serve in one day. */
  readonly dailyCapacity: number
  /** Whether a buy on this product needs approval by a person at the seller. */
  readonly approval: ApprovalMode
  readonly audiences: readonly string[]
  readonly keywords: readonly string[]
  readonly coverage: Coverage
  readonly targeting: TargetingSupport
  /** First and last day of availability, `YYYY-MM-DD` UTC; absent means open. */
  readonly availableFrom?: string
  readonly availableUntil?: string
  /** Lower prices for buyers who ask (get_products, `refine`); absent: prices stand as listed. */
  readonly discounts?: readonly Discount[]
  /** What fixed prices are in some days of the year; absent: the same on all days. */
  readonly seasons?: readonly Season[]
  /** Principal ids that alone may see and buy the product; empty means everybody. */
  readonly exclusiveTo: readonly string[]
  /** Why its ad server can serve nothing of it, where that is so. */
  readonly unserved?: string
}

/** One product of the publisher: the public offer and the seller's own terms. */
export interface Product {
  readonly id: string
  readonly offer: Offer
  readonly selling: Selling
}

/** Price of a pricing option in its currency's major units: the fixed price, else the floor, else undefined. */
export function priceOf(option: PricingOption): number | undefined {
  if (option.fixed_price !== undefined) return option.fixed_price
  return 'floor_price' in option ? option.floor_price : undefined
}

/** Whether the buyer pays a stated price (true) or bids (false). AdCP pricing-options: `fixed_price` present or not. */
export function isFixedPrice(option: PricingOption): boolean {
  return option.fixed_price !== undefined
}

/**
 * Smallest spend of a package with this option, in major units: the stated minimum, or the price of what is sold
 * only whole (a flat rate, the shortest time, the fewest rating points) where that is more. `flight`: the one that is wanted, where it is known: what is
 * sold by time costs all of it.
 */
export function minimumSpend(option: PricingOption, flight?: SoldFlight): number {
  return Math.max(option.min_spend_per_package ?? 0, (priceOf(option) ?? 0) * smallestUnits(option, flight))
}

function smallestUnits(option: PricingOption, flight: SoldFlight | undefined): number {
  if (option.pricing_model === 'flat_rate') {
    const hours = option.parameters?.duration_hours ?? 0
    return flight && hours > 0 ? slotsIn(flight, hours) : 1
  }
  if (option.pricing_model === 'time') {
    const { min_duration: least = 1, time_unit: unit } = option.parameters
    return flight ? Math.max(least, timeUnits(unit, flight)) : least
  }
  return option.pricing_model === 'cpp' ? (option.parameters.min_points ?? 0) : 0
}

/**
 * The most that a package costs with this option, in major units: the flat price, or the price of its time (of the longest that is sold, while no flight is known).
 * Infinity where a larger budget buys more.
 */
export function mostSpend(option: PricingOption, flight?: SoldFlight): number {
  const price = priceOf(option) ?? 0
  if (option.pricing_model === 'flat_rate') {
    const hours = option.parameters?.duration_hours ?? 0
    if (hours > 0 && !flight) return Number.POSITIVE_INFINITY
    return price * smallestUnits(option, flight)
  }
  if (option.pricing_model !== 'time') return Number.POSITIVE_INFINITY
  const { time_unit: unit, max_duration: most = Number.POSITIVE_INFINITY } = option.parameters
  return price * (flight ? timeUnits(unit, flight) : most)
}

/** What a package costs whatever its budget, in major units; undefined where that depends on the budget, or on a flight that is not known. */
export function flatPrice(option: PricingOption, flight?: SoldFlight): number | undefined {
  const most = mostSpend(option, flight)
  return minimumSpend(option, flight) === most ? most : undefined
}

/** Why an option is not sold for a flight, in words; undefined where it is. What is sold by time has a shortest and a longest one. */
export function whyNotForFlight(option: PricingOption, flight: SoldFlight | undefined): string | undefined {
  if (option.pricing_model !== 'time' || !flight) return undefined
  const { time_unit: unit, min_duration: least = 1, max_duration: most = Number.POSITIVE_INFINITY } = option.parameters
  const units = timeUnits(unit, flight)
  if (units >= least && units <= most) return undefined
  return `is sold for ${durationWords(unit, least, most)}, not for ${durationWords(unit, units, units)}`
}

/** Why a product is not sold for a flight, in words, where none of its prices is; undefined where one is. */
export function durationFault({ offer }: Product, flight: SoldFlight | undefined): string | undefined {
  const faults = offer.pricing_options.map((option) => whyNotForFlight(option, flight))
  return faults.every((fault) => fault !== undefined) ? faults[0] : undefined
}

/** Lengths of time that are sold, in words: "1 to 3 days". */
export function durationWords(unit: TimeUnit, least: number, most: number): string {
  if (least === most) return `${least} ${unit}${least === 1 ? '' : 's'}`
  return most === Number.POSITIVE_INFINITY ? `${least} ${unit}${least === 1 ? '' : 's'} or more` : `${least} to ${most} ${unit}s`
}

/**
 * Whether a caller may see and buy the product: active, and open to everybody or to this principal. Without a principal
 * only standard products are visible.
 */
export function isOfferedTo(product: Product, principalId: string | undefined): boolean {
  return whyNotOffered(product, principalId) === undefined
}

/** Why a caller may not see a product: what it is, or whom it is for. */
export type NotOffered = 'paused' | 'archived' | 'not_served' | 'exclusive' | 'needs_key'

/** The reason for which {@link isOfferedTo} says no; undefined where it says yes. */
export function whyNotOffered({ selling }: Product, principalId: string | undefined): NotOffered | undefined {
  const { status, visibility, exclusiveTo, unserved } = selling
  if (status !== 'active') return unserved === undefined ? status : 'not_served'
  if (exclusiveTo.length > 0 && (principalId === undefined || !exclusiveTo.includes(principalId))) return 'exclusive'
  return principalId === undefined && visibility !== 'standard' ? 'needs_key' : undefined
}

/** Why nobody can order a product any more at a moment: its offer has expired, or the last day of its sale is over (UTC). Undefined while it can be ordered. */
export function whyOver({ offer, selling }: Product, now: Date): 'expired' | 'ended' | undefined {
  if (offer.expires_at !== undefined && Date.parse(offer.expires_at) <= now.getTime()) return 'expired'
  return selling.availableUntil !== undefined && selling.availableUntil < now.toISOString().slice(0, 10) ? 'ended' : undefined
}

/** Whether a product is on sale on all of these days (UTC). */
export function runsOn(
  { offer, selling }: Product,
  { first, last = first }: { readonly first?: string; readonly last?: string },
): boolean {
  const begin = first ?? last
  if (begin === undefined || last === undefined) return true
  return (
    (selling.availableFrom === undefined || begin >= selling.availableFrom) &&
    (selling.availableUntil === undefined || last <= selling.availableUntil) &&
    (offer.expires_at === undefined || last <= offer.expires_at.slice(0, 10))
  )
}
