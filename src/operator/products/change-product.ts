import { isDeepStrictEqual } from 'node:util'
import { parseProductsFile } from '../../domain/product/import-products.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { loadCustomFormats } from '../../store/product/custom-formats.ts'
import { findOwnProduct, type ListedProduct } from '../../store/product/product-list.ts'
import { loadPublisherInventory } from '../../store/product/products.ts'
import { nextRevision, touchProducts } from '../../store/product/products-revision.ts'
import { writeProduct } from '../../store/product/save-products.ts'
import { type ActContext, defineAct } from '../act.ts'
import { flag, required } from '../fields.ts'
import { cells } from '../map-fields.ts'
import { missingProduct } from '../missing-product.ts'
import { SELLERS } from '../roles.ts'
import { about, listOf, named, type Of, object } from '../shape.ts'
import { idText } from '../text-form.ts'
import { importContext } from './import-context.ts'
import { ordersOfProducts } from './orders-of-products.ts'
import { type ProductChange, withCells } from './product-cells.ts'
import { ordersShape, PRODUCT, productShape } from './product-shapes.ts'
import { watchedProduct } from './watched-product.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const changedShape = named(
  'ChangedProduct',
  about(
    'A product after a change, with the orders that run with it: they keep their terms.',
    object({ product: productShape, orders: listOf(ordersShape) }),
  ),
)
type ChangedProduct = Of<typeof changedShape>

/** Changes some values of a product. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for unknown columns and for values that an import would refuse. */
export const setProduct = defineAct({
  name: 'products.set',
  route: 'PATCH /products/{product}',
  id: 'setProduct',
  roles: SELLERS,
  summary: 'Changes some values of a product, with the checks of an import.',
  fields: {
    product: PRODUCT,
    cells: required(cells('values by the columns of the CSV form; an empty one takes the value away')),
    pricing_option_id: idText('the price that the price columns are about, where the product has several'),
    expected: cells('what the cells were when they were read; one that has changed since is a CONFLICT'),
    dry_run: flag('only check'),
  },
  answer: changedShape,
  command: {
    help: 'change values of a product, by the columns of the CSV form',
    assignments: 'cells',
    flags: { pricing_option_id: 'price' },
    text: (answer, { dry_run: isTrial }) => changedLines(answer, isTrial ? 'right; nothing was changed' : 'changed'),
  },
  watch: watchedProduct,
  run: (context, { dry_run: isTrial, ...values }) => (isTrial ? tried(context, values) : change(context, values)),
})

/** Takes a product off sale. Throws REFERENCE_NOT_FOUND. */
export const archiveProduct = defineAct({
  name: 'products.archive',
  route: 'POST /products/{product}/archive',
  id: 'archiveProduct',
  roles: SELLERS,
  summary: 'Takes a product off sale; orders that run with it go on.',
  fields: { product: PRODUCT },
  answer: changedShape,
  command: { text: (answer) => changedLines(answer, 'archived') },
  watch: watchedProduct,
  run: (context, { product }) => change(context, { product, cells: { status: 'archived' } }),
})

/** Puts a product back on sale. Throws REFERENCE_NOT_FOUND. */
export const restoreProduct = defineAct({
  name: 'products.restore',
  route: 'POST /products/{product}/restore',
  id: 'restoreProduct',
  roles: SELLERS,
  summary: 'Puts a product back on sale.',
  fields: { product: PRODUCT },
  answer: changedShape,
  command: { text: (answer) => changedLines(answer, 'on sale') },
  watch: watchedProduct,
  run: (context, { product }) => change(context, { product, cells: { status: 'active' } }),
})

function changedLines({ product, orders }: ChangedProduct, done: string): readonly string[] {
  const running = orders.map(({ orders: count, examples }) => `${count} running or coming: ${examples.join(', ')}`)
  return [`${product.product_id} is ${done}`, ...running]
}

async function tried(context: ActContext, input: ProductChange): Promise<ChangedProduct> {
  const { next } = await checkedChange(context.store.read, context, ofCells(input), await ownFormatsOf(context))
  return { product: next, orders: [] }
}

async function change(context: ActContext, input: ProductChange): Promise<ChangedProduct> {
  const product = await changeDocument(context, input.product, ofCells(input).edit)
  return { product, orders: await ordersOfProducts(context, context.tenantId, [input.product]) }
}

/** Gives a product another document, with the checks of an import. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST with an issue for each problem. */
export async function changeDocument(context: ActContext, product: string, edit: Edit['edit']): Promise<ProductDocument> {
  const { tenantId, store } = context
  const ownFormats = await ownFormatsOf(context)
  return store.transaction(async (tx) => {
    const { next, position, before } = await checkedChange(tx, context, { product, edit }, ownFormats)
    if (isDeepStrictEqual(next, before)) return next
    const revision = await nextRevision(tx, tenantId)
    // At its own place: the order of the products is the publisher's.
    await writeProduct(tx, tenantId, '', { position, document: next, at: context.clock().toISOString(), revision })
    await touchProducts(tx, tenantId)
    return next
  })
}

/** What becomes of the document of a product. */
interface Edit {
  readonly product: string
  readonly edit: (document: ProductDocument) => object
}

function ofCells(input: ProductChange): Edit {
  return { product: input.product, edit: (document) => withCells(document, input) }
}

async function ownFormatsOf({ store, tenantId }: ActContext): Promise<readonly string[]> {
  return (await loadCustomFormats(store.read, tenantId)).map(({ id }) => id)
}

/** The product with the change, checked as an import checks it. */
async function checkedChange(
  db: Db,
  { tenantId, schemas }: ActContext,
  input: Edit,
  ownFormats: readonly string[],
): Promise<{ readonly next: ProductDocument; readonly position: number; readonly before: ProductDocument }> {
  const { document, position } = await findNamed(db, tenantId, input.product)
  const { properties, collections } = await loadPublisherInventory(db, tenantId)
  const parts = { ...(properties.length > 0 && { properties }), ...(collections.length > 0 && { collections }) }
  const products = [input.edit(document)]
  const read = parseProductsFile({ version: 1, ...parts, products }, importContext(schemas, ownFormats))
  if (!read.ok) throw refused(input.product, read.problems)
  const [next] = read.file.products
  if (!next) throw new Error('a file of one product has one product')
  return { next, position, before: document }
}

async function findNamed(db: Db, tenantId: string, productId: string): Promise<ListedProduct> {
  const found = await findOwnProduct(db, tenantId, productId)
  if (found) return found
  throw await missingProduct(db, tenantId, productId, 'product')
}

function refused(productId: string, problems: readonly { readonly pointer: string; readonly message: string }[]): AdcpError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer.replace(/^\/products\/0/, '')}: ${message}`)
  return new AdcpError('INVALID_REQUEST', [`${productId} was not changed:`, ...lines].join('\n'), {
    field: 'product_id',
    issues: problems.map(({ pointer, message }) => ({ pointer, message, keyword: 'import' })),
  })
}
