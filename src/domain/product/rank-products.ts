import type { Brief } from './brief.ts'
import type { BriefHints } from './brief-hints.ts'
import { isOfWantedMedia } from './brief-media.ts'
import { synonymsOf } from './brief-synonyms.ts'
import { wishesOf } from './brief-wishes.ts'
import { exclusionsOf } from './exclusions.ts'
import type { Offer } from './offer.ts'
import { runsOnlyIn } from './only-places.ts'
import { minimumSpend, type Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { candidatesOf } from './rank-candidates.ts'
import { type RankedProduct, Ranking } from './ranking.ts'

export interface RankOptions {
  /** Delivery types that the buyer likes, best first (`preferred_delivery_types`). */
  readonly preferredDelivery?: readonly Offer['delivery_type'][]
  /** Which kinds of products may appear, given by one of each ({@link Kinds}); default all. */
  readonly eligibleKind?: (sample: Product) => boolean
  /** Which of these may appear; default all. The best of them sets the measure of relevance. */
  readonly eligible?: (product: Product) => boolean
  /** Positions of all that are eligible, ascending, when the caller has them at hand. */
  readonly allEligible?: () => readonly number[]
}

/** The most that `preference` gives. */
const MOST_PREFERRED = 1.5

/**
 * Ranks products against a brief, best first; ties preserve the publisher's order. Terms that few products share count for
 * more. Products that share nothing relevant with the brief are left out; when none does, all come in their own order with
 * score 0, since a buyer who asks in other words still wants to see what there is.
 */
export function createRanking(index: ProductIndex, brief: Brief, options: RankOptions = {}): Ranking {
  const { terms, hints } = brief
  const { preferredDelivery = [], eligibleKind = () => true, eligible } = options
  const channels = new Set(terms.flatMap(synonymsOf).filter((term) => term.startsWith('channel:')))
  const { kindOf, samples } = index.kinds
  const factors = Float64Array.from(samples, (sample) =>
    eligibleKind(sample) && isLeft(sample, brief)
      ? suitability(sample, hints) * inChannels(sample, channels) * preference(sample, preferredDelivery)
      : 0,
  )
  const exclusions = exclusionsOf(index, brief)
  const ofKind = exclusions
    ? (position: number) => (factors[kindOf[position] ?? -1] ?? 0) * (exclusions[position] ?? 1)
    : (position: number) => factors[kindOf[position] ?? -1] ?? 0
  const factorAt = eligible ? (position: number) => (isAt(index, position, eligible) ? ofKind(position) : 0) : ofKind
  const mostFactor = preferredDelivery.length > 0 ? MOST_PREFERRED : 1
  const { positions, scores } = candidatesOf(index, wishesOf(index, brief), { mostFactor, factorAt })
  if (positions.length > 0) return new Ranking(index, positions, scores)
  const all = options.allEligible?.() ?? [...index.products.keys()]
  const isLimited = exclusions !== undefined || hints.mediaAlone !== undefined || hints.delivery !== undefined
  return new Ranking(index, isLimited || !options.allEligible ? all.filter((position) => factorAt(position) > 0) : all, [])
}

/** The whole ranking of `createRanking` at once. */
export function rankProducts(index: ProductIndex, brief: Brief, options: RankOptions = {}): RankedProduct[] {
  return createRanking(index, brief, options).slice()
}

function isAt({ products }: ProductIndex, position: number, eligible: (product: Product) => boolean): boolean {
  const product = products[position]
  return product !== undefined && eligible(product)
}

/** Whether a product is of the media and the delivery that a brief leaves. */
function isLeft(product: Product, brief: Brief): boolean {
  const { delivery } = brief.hints
  return (delivery === undefined || product.offer.delivery_type === delivery) && isOfWantedMedia(product, brief)
}

/** A brief that names channels wants those; products of others need better reasons. */
function inChannels({ offer }: Product, wanted: ReadonlySet<string>): number {
  return wanted.size === 0 || (offer.channels ?? []).some((channel) => wanted.has(`channel:${channel}`)) ? 1 : 0.7
}

/** What is left of the score of a product that reaches none of the places that a brief names. */
const ELSEWHERE = 0.1

/** What is left of the score of a product whose delivery is of the kind that a brief does not ask for. */
const OTHER_DELIVERY = 0.5

/** A product that the budget, the currency or the place rules out sinks: a brief is no filter, but it says what is wanted. */
function suitability({ offer, selling }: Product, hints: BriefHints): number {
  const { budget, countries, countriesNot = [], regions = [], regionsNot = [] } = hints
  if (countriesNot.length > 0 && runsOnlyIn({ selling }, countriesNot)) return 0
  if (selling.coverage.regions?.length && selling.coverage.regions.every((region) => regionsNot.includes(region))) return 0
  let factor = hints.leaning !== undefined && offer.delivery_type !== hints.leaning ? OTHER_DELIVERY : 1
  const { countries: covered, regions: own } = selling.coverage
  if (covered && countries.length > 0 && !countries.some((country) => covered.includes(country))) factor *= ELSEWHERE
  else if (own && regions.length > 0 && !regions.some((region) => own.includes(region))) factor *= ELSEWHERE
  if (budget) {
    const options = offer.pricing_options.filter((option) => option.currency === budget.currency)
    if (options.length === 0) factor *= 0.6
    else {
      const least = Math.min(...options.map((option) => minimumSpend(option)))
      // A product that takes more than half of a budget leaves little of a plan.
      if (least > budget.amount) factor *= 0.25
      else if (least > budget.amount / 2) factor *= 0.8
    }
  }
  // A buy that needs approval by a person is worth less to an agent than one that it can close.
  return selling.approval === 'manual' ? factor * 0.8 : factor
}

function preference({ offer }: Product, preferred: readonly Offer['delivery_type'][]): number {
  const place = preferred.indexOf(offer.delivery_type)
  return place === -1 ? 1 : MOST_PREFERRED - 0.2 * place
}
