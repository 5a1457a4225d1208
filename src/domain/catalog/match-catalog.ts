import { atOnce } from '../../platform/concurrency/steps.ts'
import { type CatalogItem, type ItemDocument, isServable } from './catalog.ts'
import type { DeclaredCatalog } from './declared-catalog.ts'
import { reviewItems } from './review-items.ts'

/** What a catalog-driven product could show of a buyer's catalog (AdCP core/product.json, `catalog_match`). */
export interface CatalogMatch {
  readonly submitted_count: number
  readonly matched_count: number
  /** The first of them. */
  readonly matched_ids: string[]
  /** Of a catalog of products. */
  readonly matched_gtins?: string[]
}

/** Items named in an answer, which repeats them for each product; the count says how many there are. */
export const MOST_NAMED = 100

/** Items that the selectors of `declared` choose and that may be shown. `submitted` is how many there were to choose from. */
export function matchItems(declared: DeclaredCatalog, documents: readonly ItemDocument[], submitted: number): CatalogMatch {
  const items = atOnce(reviewItems(declared, documents)).items.filter(isServable)
  return matchOf(declared, items, { submitted, matched: items.length })
}

/** The match of items that are known to be shown; `items` may be only the first of those that `matched` counts. */
export function matchOf(
  { type }: Pick<DeclaredCatalog, 'type'>,
  items: readonly CatalogItem[],
  { submitted, matched }: { readonly submitted: number; readonly matched: number },
): CatalogMatch {
  const named = items.slice(0, MOST_NAMED)
  const gtins = type === 'product' ? named.flatMap(({ document }) => gtinOf(document)) : []
  return {
    submitted_count: submitted,
    matched_count: matched,
    matched_ids: named.map(({ itemId }) => itemId),
    ...(gtins.length > 0 && { matched_gtins: gtins }),
  }
}

function gtinOf({ gtin }: ItemDocument): string[] {
  return typeof gtin === 'string' && /^[0-9]{8,14}$/.test(gtin) ? [gtin] : []
}
