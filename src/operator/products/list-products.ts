import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { countOwnProducts, findOwnProduct, listOwnProducts, type ProductPosition } from '../../store/product/product-list.ts'
import type { OperatorContext } from '../operator-context.ts'
import { searchWords } from '../search-words.ts'

export type { ProductDocument }

export interface ProductQuery {
  readonly tenantId: string
  /** Words, each somewhere in the text of the product. */
  readonly search?: string | undefined
  /** `next_cursor` of the page before, of the same query. */
  readonly cursor?: string | undefined
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined
}

export interface ProductList {
  readonly products: readonly ProductDocument[]
  /** Of all products of the publisher, whatever the search. */
  readonly total: number
  readonly next_cursor: string | null
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

/** A page of the products of a publisher, archived ones too. Throws INVALID_REQUEST for a search that is too long and a cursor of another query. */
export async function listProducts(context: OperatorContext, query: ProductQuery): Promise<ProductList> {
  const { tenantId, search = '', cursor, limit = DEFAULT_LIMIT } = query
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new AdcpError('INVALID_REQUEST', `limit must be a whole number from 1 to ${MAX_LIMIT}`, { field: 'limit' })
  const bound = ['products', tenantId, search]
  const after = positionOf(decodeCursor(bound, cursor))
  const db = context.store.read
  const [found, total] = await Promise.all([
    listOwnProducts(db, tenantId, { words: searchWords(search), after, limit: limit + 1 }),
    countOwnProducts(db, tenantId),
  ])
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    products: shown.map(({ document }) => document),
    total,
    next_cursor: last ? encodeCursor(bound, JSON.stringify([last.position, last.productId])) : null,
  }
}

/** One product. Throws REFERENCE_NOT_FOUND. */
export async function showProduct({ store }: OperatorContext, tenantId: string, productId: string): Promise<ProductDocument> {
  const found = await findOwnProduct(store.read, tenantId, productId)
  if (found) return found.document
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no product ${productId}`, { field: 'product_id' })
}

function positionOf(text: string | undefined): ProductPosition | undefined {
  if (text === undefined) return undefined
  const [position, productId]: [number, string] = JSON.parse(text)
  return { position, productId }
}
