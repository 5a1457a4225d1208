import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { countOwnProducts, findOwnProduct, listOwnProducts, type ProductPosition } from '../../store/product/product-list.ts'
import { defineAct } from '../act.ts'
import { DEFAULT_PAGE, paged } from '../fields.ts'
import { missingProduct } from '../missing-product.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS } from '../roles.ts'
import { searchText, searchWords } from '../search-words.ts'
import { integer, list, object, pageMembers } from '../shape.ts'
import { PRODUCT, productShape } from './product-shapes.ts'

// Several acts in one file: a list, and one of its items in full.

export type { ProductDocument }

/** The fields of a list of products. */
export const PRODUCT_QUERY = {
  search: searchText('words, each somewhere in the text of the product'),
  ...paged('products'),
}

const shownStatus = ({ selling: { status = 'active', visibility } }: ProductDocument) =>
  `${status}${visibility === 'custom' ? ', custom' : ''}`

export const searchProducts = defineAct({
  name: 'products.list',
  route: 'GET /products',
  id: 'listProducts',
  roles: READERS,
  summary: 'Products, archived ones too, by pages.',
  fields: PRODUCT_QUERY,
  answer: object({ ...pageMembers(productShape), total: integer }),
  command: {
    help: 'list the products',
    allPages: true,
    columns: [
      ['PRODUCT', (product) => product.product_id],
      ['NAME', (product) => product.name],
      ['CHANNELS', (product) => (product.channels ?? []).join(',')],
      ['DELIVERY', (product) => product.delivery_type],
      ['PRICES', ({ pricing_options: prices }) => prices.map((each) => `${each.pricing_model} ${each.currency}`).join(', ')],
      ['STATUS', shownStatus],
    ],
  },
  async run(context, values) {
    const page = await listProducts(context, { tenantId: context.tenantId, ...values })
    return { ...list(page.products, page.next_cursor), total: page.total }
  },
})

/** One product. Throws REFERENCE_NOT_FOUND. */
export const showProduct = defineAct({
  name: 'products.show',
  route: 'GET /products/{product}',
  id: 'showProduct',
  roles: READERS,
  summary: 'One product.',
  fields: { product: PRODUCT },
  answer: productShape,
  command: {},
  async run({ store, tenantId }, { product }) {
    const found = await findOwnProduct(store.read, tenantId, product)
    if (found) return found.document
    throw await missingProduct(store.read, tenantId, product, 'product')
  },
})

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

/** A page of the products of a publisher, archived ones too. Throws INVALID_REQUEST for a search that is too long and a cursor of another query. */
export async function listProducts(context: OperatorContext, query: ProductQuery): Promise<ProductList> {
  const { tenantId, search = '', cursor, limit = DEFAULT_PAGE } = query
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

function positionOf(text: string | undefined): ProductPosition | undefined {
  if (text === undefined) return undefined
  const [position, productId]: [number, string] = JSON.parse(text)
  return { position, productId }
}
