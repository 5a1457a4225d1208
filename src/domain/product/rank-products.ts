import type { Brief } from './brief.ts'
import type { BriefHints } from './brief-hints.ts'
import { synonymsOf, termsOf } from './brief-terms.ts'
import { minimumSpend, type Offer, type Product } from './product.ts'

/** Where a term stands in a product, and what a hit there is worth: a name says more than a description. */
const FIELDS = [
  { name: 'channel', weight: 5 },
  { name: 'delivery', weight: 4 },
  { name: 'name', weight: 4 },
  { name: 'keyword', weight: 3 },
  { name: 'audience', weight: 3 },
  { name: 'format', weight: 1.5 },
  { name: 'description', weight: 1 },
] as const

export type FieldName = (typeof FIELDS)[number]['name']

/** What a hit is worth by the set of fields it is in (bit i for field i): the heaviest in full, each further one a tenth. */
const WEIGHT_OF_FIELDS: readonly number[] = Array.from({ length: 1 << FIELDS.length }, (_empty, fields) => {
  const weights = FIELDS.filter((_field, bit) => (fields & (1 << bit)) !== 0).map((field) => field.weight)
  const heaviest = Math.max(0, ...weights)
  return heaviest + 0.1 * (weights.reduce((sum, weight) => sum + weight, 0) - heaviest)
})

/** Products that hold a term, in ascending order of position, and the fields of each that it stands in, side by side. */
interface Postings {
  readonly positions: number[]
  readonly fields: number[]
}

/** Everything that ranking needs of a catalogue, computed once a revision. */
export interface CatalogueIndex {
  readonly products: readonly Product[]
  /** Position of each product, by id. */
  readonly positions: ReadonlyMap<string, number>
  readonly postings: ReadonlyMap<string, Postings>
}

export interface Match {
  readonly term: string
  readonly fields: readonly FieldName[]
}

export interface RankedProduct {
  readonly product: Product
  readonly score: number
}

export interface RankOptions {
  /** Delivery types that the buyer likes, best first (`preferred_delivery_types`). */
  readonly preferredDelivery?: readonly Offer['delivery_type'][]
  /** Which products may appear; default all. The best of these sets the measure of relevance. */
  readonly eligible?: (product: Product) => boolean
}

/** A product that earns less than this share of the best score is no answer to the brief. */
const RELEVANT_SHARE = 0.3

/** Builds the index of a catalogue: for each term, the products it stands in and where. */
export function buildIndex(products: readonly Product[]): CatalogueIndex {
  const postings = new Map<string, Postings>()
  products.forEach((product, position) => {
    for (const [term, fields] of fieldsByTerm(product)) {
      const list = postings.get(term) ?? { positions: [], fields: [] }
      list.positions.push(position)
      list.fields.push(fields)
      postings.set(term, list)
    }
  })
  return { products, positions: new Map(products.map((product, position) => [product.id, position])), postings }
}

function fieldsByTerm({ offer, selling }: Product): Map<string, number> {
  const texts: Record<FieldName, readonly string[]> = {
    channel: (offer.channels ?? []).map((channel) => `channel:${channel}`),
    delivery: [`delivery:${offer.delivery_type}`],
    name: termsOf(offer.name),
    keyword: termsOf(selling.keywords.join(' ')),
    audience: termsOf(selling.audiences.join(' ')),
    format: termsOf(offer.format_ids.map((format) => format.id.replaceAll('_', ' ')).join(' ')),
    description: termsOf(offer.description),
  }
  const terms = new Map<string, number>()
  FIELDS.forEach(({ name }, bit) => {
    for (const term of texts[name]) terms.set(term, (terms.get(term) ?? 0) | (1 << bit))
  })
  return terms
}

/**
 * Ranks a catalogue against a brief, best first; ties keep the order of the catalogue. Terms that few products share count for
 * more. Products that share nothing relevant with the brief are left out; when none does, all come in their own order with
 * score 0, since a buyer who asks in other words still wants to see what there is.
 */
export function rankProducts(
  index: CatalogueIndex,
  { terms, hints }: Brief,
  { preferredDelivery = [], eligible }: RankOptions = {},
): RankedProduct[] {
  const scores = new Float64Array(index.products.length)
  for (const term of terms) addScores(scores, index, term)
  const channels = new Set(terms.flatMap(synonymsOf).filter((term) => term.startsWith('channel:')))
  let best = 0
  index.products.forEach((product, position) => {
    const earned = scores[position] ?? 0
    if (earned === 0 || eligible?.(product) === false) return
    const score = earned * suitability(product, hints) * inChannels(product, channels) * preference(product, preferredDelivery)
    scores[position] = score
    best = Math.max(best, score)
  })
  return index.products
    .map((product, position): RankedProduct => ({ product, score: scores[position] ?? 0 }))
    .filter(({ product, score }) => score >= best * RELEVANT_SHARE && eligible?.(product) !== false)
    .sort((a, b) => b.score - a.score)
}

/** A word and its synonyms are one wish: a product earns the best of them, not their sum. */
function addScores(scores: Float64Array, index: CatalogueIndex, term: string): void {
  const earned = new Float64Array(index.products.length)
  for (const variant of [term, ...synonymsOf(term)]) {
    const list = index.postings.get(variant)
    if (!list) continue
    const rarity = Math.log(1 + index.products.length / (1 + list.positions.length))
    list.positions.forEach((position, i) => {
      earned[position] = Math.max(earned[position] ?? 0, rarity * (WEIGHT_OF_FIELDS[list.fields[i] ?? 0] ?? 0))
    })
  }
  earned.forEach((value, position) => {
    if (value > 0) scores[position] = (scores[position] ?? 0) + value
  })
}

/** A brief that names channels wants those; products of others need better reasons. */
function inChannels({ offer }: Product, wanted: ReadonlySet<string>): number {
  return wanted.size === 0 || (offer.channels ?? []).some((channel) => wanted.has(`channel:${channel}`)) ? 1 : 0.6
}

/** A product that the budget, the currency or the place rules out sinks: a brief is no filter, but it says what is wanted. */
function suitability({ offer, selling }: Product, { budget, countries }: BriefHints): number {
  let factor = 1
  const covered = selling.coverage.countries
  if (covered && countries.length > 0 && !countries.some((country) => covered.includes(country))) factor *= 0.4
  if (budget) {
    const options = offer.pricing_options.filter((option) => option.currency === budget.currency)
    if (options.length === 0) factor *= 0.6
    else if (options.every((option) => minimumSpend(option) > budget.amount)) factor *= 0.4
  }
  // A buy that waits for a person is worth less to an agent than one that it can close.
  return selling.approval === 'manual' ? factor * 0.8 : factor
}

function preference({ offer }: Product, preferred: readonly Offer['delivery_type'][]): number {
  const place = preferred.indexOf(offer.delivery_type)
  return place === -1 ? 1 : 1.5 - 0.2 * place
}

/** Which terms of a brief a product of the index answers, and where. */
export function matchesOf(index: CatalogueIndex, productId: string, terms: readonly string[]): Match[] {
  const position = index.positions.get(productId) ?? -1
  return terms.flatMap((term) => {
    const bits = [term, ...synonymsOf(term)].reduce((all, variant) => all | fieldsAt(index.postings.get(variant), position), 0)
    return bits === 0
      ? []
      : [{ term, fields: FIELDS.filter((_field, bit) => (bits & (1 << bit)) !== 0).map((field) => field.name) }]
  })
}

/** Binary search: positions ascend. */
function fieldsAt(list: Postings | undefined, position: number): number {
  let low = 0
  let high = (list?.positions.length ?? 0) - 1
  while (list && low <= high) {
    const middle = (low + high) >> 1
    const found = list.positions[middle] ?? 0
    if (found === position) return list.fields[middle] ?? 0
    if (found < position) low = middle + 1
    else high = middle - 1
  }
  return 0
}
