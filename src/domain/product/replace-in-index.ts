import { replaceKinds } from './kinds.ts'
import type { Product } from './product.ts'
import { entryOf, fieldsByTerm, lowerBound, type Postings, type ProductIndex, positionOf, weightOf } from './product-index.ts'
import { nameKeyOf, productNames } from './product-names.ts'
import { visibilityIndexOf } from './visibility-index.ts'

/**
 * An index with products of the same ids in place of some of its own, by position. What does not change is shared with the index given,
 * which stays as it is.
 */
export function replaceInIndex(index: ProductIndex, replaced: ReadonlyMap<number, Product>): ProductIndex {
  const products = index.products.map((product, position) => replaced.get(position) ?? product)
  const postings = new Map(index.postings)
  for (const [position, product] of replaced) {
    const before = index.products[position]
    const old = before ? fieldsByTerm(before) : new Map<string, number>()
    const now = fieldsByTerm(product)
    for (const term of new Set([...old.keys(), ...now.keys()])) {
      const fields = now.get(term)
      if (fields === old.get(term)) continue
      const list = withFields(postings.get(term), position, fields)
      if (list) postings.set(term, list)
      else postings.delete(term)
    }
  }
  const isRenamed = Array.from(replaced).some(([position, product]) => {
    const before = index.products[position]
    return !before || nameKeyOf(before) !== nameKeyOf(product)
  })
  return {
    products,
    positions: index.positions,
    postings,
    names: isRenamed ? productNames(products) : index.names,
    kinds: replaceKinds(index.kinds, replaced),
    ...visibilityIndexOf(products),
  }
}

/** Postings with these fields at a position, or without it; undefined when nothing is left. */
function withFields(list: Postings | undefined, position: number, fields: number | undefined): Postings | undefined {
  const entries = list?.entries ?? []
  const at = lowerBound(entries, entryOf(position, 0))
  const behind = entries[at] !== undefined && positionOf(entries[at]) === position ? at + 1 : at
  const own = fields === undefined ? [] : [entryOf(position, fields)]
  const all = [...entries.slice(0, at), ...own, ...entries.slice(behind)]
  // That the heaviest may have gone does no harm: it is a bound.
  return all.length === 0 ? undefined : { entries: all, heaviest: Math.max(list?.heaviest ?? 0, weightOf(fields ?? 0)) }
}
