import type { RightsOffering } from '../brand/brands-file.ts'
import type { RightUse } from '../brand/right-use.ts'
import type { GrantAgreement } from './grant.ts'

/** What is known of the brand that asks. */
export interface BuyerFacts {
  readonly domain: string | undefined
  /** From the request, or the brand's own brand.json. */
  readonly industries: readonly string[]
}

/** What somebody wants to do with a right. */
export interface WantedUse {
  readonly uses: readonly RightUse[]
  /** Undefined: not said. */
  readonly countries?: readonly string[] | undefined
  /** First and last day; undefined: not said, or without end. */
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
}

/** Why a right cannot be had. The reason names no rule of the brand and no other buyer; `suggestions` only when something else would do. */
export interface Refusal {
  readonly reason: string
  readonly suggestions?: readonly string[]
}

/** Whether a buyer may have a right at all. */
export function refusalOfBuyer({ clearance }: RightsOffering, { domain, industries }: BuyerFacts): Refusal | undefined {
  const barred = clearance?.excluded_industries?.some((industry) => industries.includes(industry))
  const named = domain !== undefined && clearance?.excluded_domains?.some((other) => isWithin(domain, other))
  return barred || named ? { reason: 'does not go with the guidelines of this brand' } : undefined
}

/** Whether a right covers what is wanted of it. */
export function refusalOfUse(offering: RightsOffering, { uses, countries }: WantedUse): Refusal | undefined {
  const missing = uses.filter((use) => !offering.available_uses.includes(use))
  if (missing.length > 0) {
    return {
      reason: `not available for ${missing.join(', ')}`,
      suggestions: [`available for ${offering.available_uses.join(', ')}`],
    }
  }
  const closed = (countries ?? []).filter((country) => !isAvailableIn(offering, country))
  if (closed.length === 0) return undefined
  const open = offering.countries?.filter((country) => isAvailableIn(offering, country))
  return {
    reason: `not available in ${closed.join(', ')}`,
    suggestions: [
      open ? `available in ${open.join(', ')}` : `available everywhere but in ${offering.excluded_countries?.join(', ')}`,
    ],
  }
}

export function isAvailableIn(
  { countries, excluded_countries: excluded }: Pick<RightsOffering, 'countries' | 'excluded_countries'>,
  country: string,
): boolean {
  return (countries?.includes(country) ?? true) && excluded?.includes(country) !== true
}

/**
 * Whether agreements of others stand in the way: an exclusive one of the same uses, countries and time, or any such one for somebody who wants
 * exclusivity.
 */
export function refusalOfOthers(
  offering: RightsOffering,
  wanted: WantedUse & { readonly exclusive: boolean },
  others: readonly GrantAgreement[],
): Refusal | undefined {
  const colliding = others.filter((other) => other.offering.rights_id === offering.rights_id && collides(other, wanted, offering))
  if (colliding.some(({ price }) => price.exclusive)) {
    return { reason: 'there is an exclusive commitment in this category', suggestions: [freeFrom(colliding)] }
  }
  if (!wanted.exclusive || colliding.length === 0) return undefined
  return {
    reason: 'exclusivity is not available: there are commitments in this category',
    suggestions: ['choose a pricing option without exclusivity', freeFrom(colliding)],
  }
}

function collides(other: GrantAgreement, wanted: WantedUse, offering: RightsOffering): boolean {
  return (
    other.uses.some((use) => wanted.uses.includes(use)) &&
    overlap(other.countries ?? offering.countries, wanted.countries ?? offering.countries) &&
    (other.endDate === undefined || wanted.startDate === undefined || other.endDate >= wanted.startDate) &&
    (wanted.endDate === undefined || other.startDate <= wanted.endDate)
  )
}

/** Undefined: everywhere. */
function overlap(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return !a || !b || a.some((country) => b.includes(country))
}

function freeFrom(agreements: readonly GrantAgreement[]): string {
  const ends = agreements.map(({ endDate }) => endDate ?? '').toSorted()
  return ends[0] === '' ? 'choose other uses or countries' : `available after ${ends.at(-1)}`
}

function isWithin(domain: string, other: string): boolean {
  return domain === other || domain.endsWith(`.${other}`)
}
