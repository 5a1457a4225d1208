import type { OfferedRight, RightsOffering, RightsPrice } from '../brand/brands-file.ts'
import type { RightType, RightUse } from '../brand/right-use.ts'
import { readPart, termsOf } from '../product/brief-terms.ts'
import { type BuyerFacts, refusalOfBuyer, refusalOfOthers, refusalOfUse } from './clearance.ts'
import type { GrantAgreement } from './grant.ts'

/** A right that can be had, with how well it fits. */
interface Shown extends OfferedRight {
  match_score: number
  match_reasons: string[]
  exclusivity_status?: { available: boolean; existing_exclusives?: string[] }
  pricing_options: RightsPrice[]
}

/** A right that cannot be had by this buyer, or not for this use. */
interface Excluded {
  brand_id: string
  name: string
  reason: string
  suggestions?: string[]
}

export interface SearchFacts {
  readonly buyer: BuyerFacts
  /** Agreements in force, of everybody. */
  readonly others: readonly GrantAgreement[]
  /** First day that counts, `YYYY-MM-DD`. */
  readonly today: string
}

/** What a buyer looks for. */
interface Ask {
  readonly query: string
  readonly uses: readonly RightUse[]
  readonly countries?: readonly string[]
  readonly brand_id?: string
  readonly right_type?: RightType
}

/** Words of every request for rights, which therefore distinguish nothing. */
const GENERIC = new Set(termsOf('right rights license licensed licensing licence use uses using need campaign available'))
/** A right that has the uses and no word of the query is still half a match: queries are free text. */
const BASE_SCORE = 0.5

/**
 * Rights that fit what is asked, best first, and those that fit but cannot be had by this buyer, with the reason (AdCP get_rights). The same
 * question gives the same order.
 */
export function searchRights(
  offerings: readonly RightsOffering[],
  ask: Ask,
  { buyer, others, today }: SearchFacts,
): { readonly rights: readonly Shown[]; readonly excluded: readonly Excluded[] } {
  const words = termsOf(readPart(ask.query)).filter((term) => !GENERIC.has(term))
  const rights: Shown[] = []
  const excluded: Excluded[] = []
  for (const offering of offerings.filter((one) => isAskedFor(one, ask))) {
    const wanted = { uses: ask.uses, countries: ask.countries, startDate: today, endDate: today, exclusive: false }
    const refusal = refusalOfBuyer(offering, buyer) ?? refusalOfUse(offering, wanted) ?? refusalOfOthers(offering, wanted, others)
    if (refusal) {
      const { reason, suggestions } = refusal
      excluded.push({
        brand_id: offering.brand_id,
        name: offering.name,
        reason,
        ...(suggestions && { suggestions: [...suggestions] }),
      })
    } else {
      const taken = refusalOfOthers(offering, { ...wanted, exclusive: true }, others) !== undefined
      rights.push(present(offering, ask, words, taken))
    }
  }
  return { rights: rights.toSorted((a, b) => b.match_score - a.match_score), excluded }
}

function isAskedFor(offering: RightsOffering, { brand_id, right_type }: Ask): boolean {
  return (
    (brand_id === undefined || offering.brand_id === brand_id) && (right_type === undefined || offering.right_type === right_type)
  )
}

function present(offering: RightsOffering, { uses, countries }: Ask, words: readonly string[], exclusivityTaken: boolean): Shown {
  const known = new Set(termsOf([offering.name, offering.description, offering.right_type, ...offering.available_uses].join(' ')))
  const matched = words.filter((word) => known.has(word))
  const score = words.length === 0 ? BASE_SCORE : BASE_SCORE + ((1 - BASE_SCORE) * matched.length) / words.length
  const { clearance: _clearance, pricing_options: prices, ...shown } = offering
  const covering = (one: (typeof prices)[number]) => uses.every((use) => one.uses.includes(use))
  const offered = prices.filter((price) => price.uses.some((use) => uses.includes(use)))
  const exclusive = prices.some((price) => price.exclusive)
  return {
    ...shown,
    match_score: Math.round(score * 100) / 100,
    match_reasons: [
      `licensed for ${uses.join(', ')}`,
      ...(countries ? [`available in ${countries.join(', ')}`] : []),
      ...(matched.length > 0 ? [`matches ${matched.join(', ')}`] : []),
    ],
    ...(exclusive && {
      exclusivity_status: {
        available: !exclusivityTaken,
        ...(exclusivityTaken && { existing_exclusives: ['commitments in this category'] }),
      },
    }),
    pricing_options: [...offered.filter(covering), ...offered.filter((price) => !covering(price))].map(
      ({ exclusive: isExclusive, ...price }) => ({ ...price, ...(isExclusive && { exclusive: true }) }),
    ),
  }
}
