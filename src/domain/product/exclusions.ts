import type { Brief } from './brief.ts'
import { synonymsOf } from './brief-synonyms.ts'
import { fieldsOf, type ProductIndex, positionOf, saysWhatItIs } from './product-index.ts'

/** What is left of a product's score that a brief excludes by a subject: a brief is no filter. */
const EXCLUDED_SHARE = 0.1

/**
 * Factors by position for the products that a brief excludes: 0 for media that it does not want, less for subjects. Undefined where it excludes nothing that is
 * there. A product is meant that has every known word of a part ("linear TV"), where it says what it is: a mention in its description does not count.
 */
export function exclusionsOf(index: ProductIndex, { excluded }: Pick<Brief, 'excluded'>): Float64Array | undefined {
  let factors: Float64Array | undefined
  for (const terms of excluded) {
    const known = terms
      .map((term) => [term, ...synonymsOf(term)])
      .filter((variants) => variants.some((one) => index.postings.has(one)))
    if (known.length === 0) continue
    const isMedium = known.every((variants) => variants.some((one) => one.startsWith('channel:')))
    const hits = new Uint16Array(index.products.length)
    for (const [place, variants] of known.entries()) {
      for (const variant of variants) {
        for (const entry of index.postings.get(variant)?.entries ?? []) {
          const position = positionOf(entry)
          if (hits[position] === place && saysWhatItIs(fieldsOf(entry))) hits[position] = place + 1
        }
      }
    }
    factors ??= new Float64Array(index.products.length).fill(1)
    for (let position = 0; position < hits.length; position++) {
      if (hits[position] === known.length) factors[position] = isMedium ? 0 : Math.min(factors[position] ?? 1, EXCLUDED_SHARE)
    }
  }
  return factors
}
