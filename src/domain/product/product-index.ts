import { relatedTo, synonymsOf } from './brief-synonyms.ts'
import { stem, termsOf } from './brief-terms.ts'
import { createKinds, type Kinds } from './kinds.ts'
import type { Product } from './product.ts'
import { addName, type ProductNames } from './product-names.ts'
import { type VisibilityIndex, visibilityIndexOf } from './visibility-index.ts'

/** Where a term occurs in a product, and what a hit there is worth: a name says more than a description. */
const FIELDS = [
  { name: 'channel', weight: 5 },
  { name: 'delivery', weight: 3 },
  { name: 'pricing', weight: 2 },
  { name: 'place', weight: 2 },
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

const FIELD_BITS = FIELDS.length

/** The products that a term occurs in. */
export interface Postings {
  /** One for each product, in ascending order of position: `positionOf` and `fieldsOf` read it. One number each, since a term may occur in all. */
  readonly entries: readonly number[]
  /** The most that a hit in any of them is worth. */
  readonly heaviest: number
}

/** What a hit in a set of fields is worth. */
export const weightOf = (fields: number): number => WEIGHT_OF_FIELDS[fields] ?? 0
export const entryOf = (position: number, fields: number): number => (position << FIELD_BITS) | fields
/** Fields that say what a product is, other than what it mentions. */
const TELLING = FIELDS.reduce(
  (bits, { name }, bit) => (name === 'format' || name === 'description' || name === 'place' ? bits : bits | (1 << bit)),
  0,
)
/** Whether any of a set of fields says what a product is. */
export const saysWhatItIs = (fields: number): boolean => (fields & TELLING) !== 0
/** Position, in the publisher's order, of the product of an entry. */
export const positionOf = (entry: number): number => entry >> FIELD_BITS
/** Set of fields that the term occurs in there, bit i for field i. */
export const fieldsOf = (entry: number): number => entry & ((1 << FIELD_BITS) - 1)

/** Everything that choosing from products needs, computed once a revision. */
export interface ProductIndex extends VisibilityIndex {
  readonly products: readonly Product[]
  /** Position of each product, by id. */
  readonly positions: ReadonlyMap<string, number>
  readonly postings: ReadonlyMap<string, Postings>
  readonly kinds: Kinds
  readonly names: ProductNames
}

export interface Match {
  readonly term: string
  readonly fields: readonly FieldName[]
  /** Whether the product has only words that are near to the term. */
  readonly isNear: boolean
}

/** Takes products one after the other, so that many products need not be indexed in one go. */
export interface IndexBuilder {
  add(product: Product): void
  /** The index of what was added; nothing may be added any more. */
  build(): ProductIndex
}

export function createIndexBuilder(): IndexBuilder {
  const products: Product[] = []
  const positions = new Map<string, number>()
  const postings = new Map<string, { entries: number[]; heaviest: number }>()
  const stems = new Map<string, string>()
  const kinds = createKinds()
  const names = new Map<string, number[]>()
  return {
    add(product) {
      const position = products.push(product) - 1
      positions.set(product.id, position)
      kinds.add(product)
      addName(names, product, position)
      for (const [term, fields] of fieldsByTerm(product, stems)) {
        const entry = entryOf(position, fields)
        const weight = weightOf(fields)
        const list = postings.get(term)
        if (!list) postings.set(term, { entries: [entry], heaviest: weight })
        else {
          list.entries.push(entry)
          list.heaviest = Math.max(list.heaviest, weight)
        }
      }
    },
    build: () => ({ products, positions, postings, kinds: kinds.build(), names, ...visibilityIndexOf(products) }),
  }
}

/** The index of products: for each term, the products it occurs in and where. */
export function buildIndex(products: readonly Product[]): ProductIndex {
  const builder = createIndexBuilder()
  for (const product of products) builder.add(product)
  return builder.build()
}

/** The terms of a product and the fields that each occurs in. `stems` remembers the stem of each word: words repeat, products are many. */
export function fieldsByTerm({ offer, selling }: Product, stems = new Map<string, string>()): Map<string, number> {
  const read = (text: string) => termsOf(text, (word) => stems.get(word) ?? remembered(stems, word))
  const texts: Record<FieldName, readonly string[]> = {
    channel: (offer.channels ?? []).map((channel) => `channel:${channel}`),
    delivery: [`delivery:${offer.delivery_type}`],
    // Nearly everything is sold by thousands of impressions.
    pricing: [...new Set(offer.pricing_options.map((option) => `pricing:${option.pricing_model}`))].filter(
      (term) => term !== 'pricing:cpm',
    ),
    place: placeTerms(selling.coverage),
    name: read(offer.name),
    keyword: read(selling.keywords.join(' ')),
    audience: read(selling.audiences.join(' ')),
    format: read(offer.format_ids.map((format) => format.id.replaceAll('_', ' ')).join(' ')),
    description: read(offer.description),
  }
  const terms = new Map<string, number>()
  FIELDS.forEach(({ name }, bit) => {
    for (const term of texts[name]) terms.set(term, (terms.get(term) ?? 0) | (1 << bit))
  })
  return terms
}

/** Products that are bound to no country reach any: they have one term for all. */
function placeTerms({ countries, regions = [] }: Product['selling']['coverage']): string[] {
  return [
    ...(countries ? countries.map((country) => `country:${country}`) : [ANYWHERE]),
    ...regions.map((region) => `region:${region}`),
  ]
}

export const ANYWHERE = 'country:*'

function remembered(stems: Map<string, string>, word: string): string {
  const found = stem(word)
  stems.set(word, found)
  return found
}

/** Which terms of a brief a product of the index answers, and where. */
export function matchesOf(index: ProductIndex, productId: string, terms: readonly string[]): Match[] {
  const position = index.positions.get(productId) ?? -1
  return terms.flatMap((term) => {
    const bitsOf = (variants: readonly string[]) =>
      variants.reduce((all, variant) => all | fieldsAt(index.postings.get(variant), position), 0)
    const own = bitsOf([term, ...synonymsOf(term)])
    const bits = own || bitsOf(relatedTo(term))
    return bits === 0 ? [] : [{ term, fields: fieldNamesOf(bits), isNear: own === 0 }]
  })
}

function fieldNamesOf(bits: number): FieldName[] {
  return FIELDS.filter((_field, bit) => (bits & (1 << bit)) !== 0).map((field) => field.name)
}

/** Set of fields that a term occurs in at a position; 0 when it does not. */
export function fieldsAt(list: Postings | undefined, position: number): number {
  if (!list) return 0
  const entry = list.entries[lowerBound(list.entries, entryOf(position, 0))]
  return entry !== undefined && positionOf(entry) === position ? fieldsOf(entry) : 0
}

/** Index of the first of ascending numbers that is at least `wanted`; their count when there is none. */
export function lowerBound(ascending: ArrayLike<number>, wanted: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
