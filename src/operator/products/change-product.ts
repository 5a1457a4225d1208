import { cellValue, place } from '../../domain/product/csv-cells.ts'
import { type Column, columnByName } from '../../domain/product/csv-columns.ts'
import { parseProductsFile } from '../../domain/product/import-products.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { loadCustomFormats } from '../../store/creative/custom-formats.ts'
import type { Db } from '../../store/database.ts'
import { findOwnProduct, type ListedProduct, listProductIds } from '../../store/product/product-list.ts'
import { loadPublisherInventory } from '../../store/product/products.ts'
import { nextRevision, touchProducts } from '../../store/product/products-revision.ts'
import { writeProduct } from '../../store/product/save-products.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { importContext } from './import-context.ts'
import { ordersOfProducts, type ProductOrders } from './orders-of-products.ts'

export interface ProductChange {
  readonly tenantId: string
  readonly productId: string
  /** Cells by the names of the columns of the CSV form; an empty cell takes the value away. */
  readonly cells: Readonly<Record<string, string>>
  /** The price that option columns are about; not needed where there is one. */
  readonly pricingOptionId?: string | undefined
  /** What cells were when the person saw them; a cell that has changed since is a CONFLICT. */
  readonly expected?: Readonly<Record<string, string>> | undefined
}

/** A product after a change, with the orders that run with it: they keep their terms. */
export interface ChangedProduct {
  readonly product: ProductDocument
  readonly orders: readonly ProductOrders[]
}

/** Takes a product off sale; orders that run with it go on. Throws REFERENCE_NOT_FOUND. */
export function archiveProduct(context: OperatorContext, tenantId: string, productId: string): Promise<ChangedProduct> {
  return change(context, 'products.archive', { tenantId, productId, cells: { status: 'archived' } })
}

/** Puts a product back on sale. Throws REFERENCE_NOT_FOUND. */
export function restoreProduct(context: OperatorContext, tenantId: string, productId: string): Promise<ChangedProduct> {
  return change(context, 'products.restore', { tenantId, productId, cells: { status: 'active' } })
}

/**
 * Changes some values of a product, by the columns of the CSV form and with the checks of an import. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for
 * unknown columns and for values that an import would refuse.
 */
export function setProduct(context: OperatorContext, input: ProductChange): Promise<ChangedProduct> {
  return change(context, 'products.set', input)
}

async function change(context: OperatorContext, task: string, input: ProductChange): Promise<ChangedProduct> {
  const { tenantId, productId } = input
  const ownFormats = (await loadCustomFormats(context.store.read, tenantId)).map(({ id }) => id)
  const store = auditedStore(context, { task, tenant: tenantId, subject: productId })
  const product = await store.transaction(async (tx) => {
    const { next, position } = await checkedChange(tx, context, input, ownFormats)
    const revision = await nextRevision(tx, tenantId)
    // At its own place: the order of the products is the publisher's.
    await writeProduct(tx, tenantId, '', { position, document: next, at: context.clock().toISOString(), revision })
    await touchProducts(tx, tenantId)
    return next
  })
  return { product, orders: await ordersOfProducts(context, tenantId, [productId]) }
}

/** Says whether a change would be accepted, and changes nothing. Throws as {@link setProduct} does. */
export async function checkProductChange(context: OperatorContext, input: ProductChange): Promise<ProductDocument> {
  const ownFormats = (await loadCustomFormats(context.store.read, input.tenantId)).map(({ id }) => id)
  return (await checkedChange(context.store.read, context, input, ownFormats)).next
}

/** The product with the change, checked as an import checks it. */
async function checkedChange(
  db: Db,
  context: OperatorContext,
  input: ProductChange,
  ownFormats: readonly string[],
): Promise<{ readonly next: ProductDocument; readonly position: number }> {
  const { tenantId, productId, expected } = input
  const columns = Object.entries(input.cells).map(([name, cell]) => ({ column: columnOf(name), cell }))
  const { document, position } = await findNamed(db, tenantId, productId)
  if (expected !== undefined) requireUnchanged(document, expected, input)
  const { properties, collections } = await loadPublisherInventory(db, tenantId)
  const parts = { ...(properties.length > 0 && { properties }), ...(collections.length > 0 && { collections }) }
  const products = [changed(document, columns, input)]
  const read = parseProductsFile({ version: 1, ...parts, products }, importContext(context.schemas, ownFormats))
  if (!read.ok) throw refused(productId, read.problems)
  const [next] = read.file.products
  if (!next) throw new Error('a file of one product has one product')
  return { next, position }
}

async function findNamed(db: Db, tenantId: string, productId: string): Promise<ListedProduct> {
  const found = await findOwnProduct(db, tenantId, productId)
  if (found) return found
  const hint = instead(productId, await listProductIds(db, tenantId), 'sales-agent products list shows them')
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no product ${quoted(productId)}${hint}`, { field: 'product_id' })
}

/** Another person may have changed a value since this one saw it. Throws CONFLICT. */
function requireUnchanged(product: ProductDocument, expected: Readonly<Record<string, string>>, input: ProductChange): void {
  const source: Record<string, unknown> = structuredClone({ ...product })
  for (const [name, cell] of Object.entries(expected)) {
    const column = columnOf(name)
    const now = cellAt(column.scope === 'product' ? source : optionIn(source, input.pricingOptionId), column.at)
    if (now !== cell)
      throw new AdcpError(
        'CONFLICT',
        `${name} of ${input.productId} is ${now === '' ? 'empty' : now} by now, no longer ${cell}`,
        {
          field: name,
        },
      )
  }
}

/** A value as the cell of its column. */
function cellAt(source: Readonly<Record<string, unknown>>, path: readonly string[]): string {
  let value: unknown = source
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
  return value === undefined || value === null ? '' : String(value)
}

/** Columns that identify what is changed, or hold more than one value. */
const FIXED = ['product_id', 'pricing_option_id', 'product_json', 'pricing_json']

function columnOf(name: string): Column {
  const column = columnByName.get(name)
  if (column && isSettable(column)) return column
  const names = [...columnByName.values()].filter(isSettable).map((each) => each.name)
  const hint = instead(name, names, 'sales-agent products columns lists them')
  throw new AdcpError('INVALID_REQUEST', `${quoted(name)} is no column that can be set${hint}`, { field: name })
}

/** A column that holds only the first entry of a list would remove the others. */
function isSettable({ name, at }: Column): boolean {
  return !FIXED.includes(name) && !at.includes('0')
}

interface Cell {
  readonly column: Column
  readonly cell: string
}

function changed(product: ProductDocument, cells: readonly Cell[], { pricingOptionId }: ProductChange): object {
  const next: Record<string, unknown> = structuredClone({ ...product })
  for (const { column, cell } of cells) {
    const target = column.scope === 'product' ? next : optionIn(next, pricingOptionId)
    place(target, column.at, cell === '' ? undefined : typedValue(column, cell))
  }
  return JSON.parse(JSON.stringify(next))
}

function optionIn({ pricing_options: options }: Record<string, unknown>, id: string | undefined): Record<string, unknown> {
  const list: Record<string, unknown>[] = Array.isArray(options) ? options : []
  const found = id === undefined && list.length === 1 ? list[0] : list.find((option) => option.pricing_option_id === id)
  if (found) return found
  const ids = list.map((option) => String(option.pricing_option_id)).join(', ')
  throw new AdcpError('INVALID_REQUEST', `name the price that changes; the product has ${ids}`, { field: 'pricing_option_id' })
}

function typedValue(column: Column, cell: string): unknown {
  const value = cellValue(cell, column, '.')
  if (value !== undefined && value !== 'ambiguous') return value
  const kind = column.kind === 'integer' ? 'a whole number' : 'a number such as 12.5'
  throw new AdcpError('INVALID_REQUEST', `${column.name} "${cell}" must be ${kind}`, { field: column.name })
}

function refused(productId: string, problems: readonly { readonly pointer: string; readonly message: string }[]): AdcpError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer.replace(/^\/products\/0/, '')}: ${message}`)
  return new AdcpError('INVALID_REQUEST', [`${productId} was not changed:`, ...lines].join('\n'), {
    field: 'product_id',
    issues: problems.map(({ pointer, message }) => ({ pointer, message, keyword: 'import' })),
  })
}
