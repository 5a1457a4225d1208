import type { PropertyDocument } from '../../domain/directory/property-document.ts'
import { COLUMNS } from '../../domain/product/csv-columns.ts'
import { diffProducts, type ProductsDiff } from '../../domain/product/diff-products.ts'
import type { CollectionDocument, PlanDocument, ProductsFile, Publisher } from '../../domain/product/products-file.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { loadStoredProducts, type PublisherInventory } from '../../store/product/products.ts'
import { saveProducts } from '../../store/product/save-products.ts'
import { type ActContext, defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import type { Values } from '../fields.ts'
import { type ImportInput, importedChanges } from '../imports/import-document.ts'
import { importFile, importHow, TABLE_IMPORT } from '../imports/import-fields.ts'
import { importForm } from '../imports/import-form.ts'
import { version } from '../imports/import-shapes.ts'
import { inImportTurn } from '../imports/import-turn.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requireUnreserved } from '../reserved-ids.ts'
import { READERS, SELLERS } from '../roles.ts'
import { about, anything, documentOf, listOf, named, object, optional, string } from '../shape.ts'
import { ordersOfProducts, type ProductOrders } from './orders-of-products.ts'
import { ordersShape, productShape } from './product-shapes.ts'
import { withProductTable } from './product-table.ts'
import { readImport } from './read-import.ts'
import { unservedNotes, unservedNotesAfter } from './unserved-products.ts'
import { writeProductFile } from './write-product-file.ts'

// Several acts in one file: they list, change and remove the same thing.

export type { ProductsDiff }

const ids = listOf(string)
const IN_IMPORTS = 'as imports have it (schemas/products-import.json)'

export const importProductFile = defineAct({
  name: 'products.import',
  route: 'POST /products/import',
  id: 'importProducts',
  roles: SELLERS,
  summary:
    'Imports a product file, and says what that changes. CSV may have product_id and the columns that change alone for products that exist, unless replace is sent.',
  fields: TABLE_IMPORT,
  answer: named(
    'ProductsDiff',
    object({
      added: ids,
      removed: ids,
      changed: listOf(
        object({
          product_id: string,
          fields: listOf(
            object({ path: about('e.g. pricing_options[cpm_usd_fixed].fixed_price', string), before: anything, after: anything }),
          ),
        }),
      ),
      unchanged: ids,
      orders: about(
        'of a dry run: running and coming orders of the products that are taken off sale',
        optional(listOf(ordersShape)),
      ),
    }),
  ),
  command: importForm({
    help: 'add and change products from a JSON, CSV or .xlsx file; a table may have product_id and the columns that change alone',
    lines: diffLines,
    touched: ({ orders = [] }: Imported) => orders.map(goesOn),
    notes: (context, tenantId, values: Values<typeof TABLE_IMPORT>) =>
      values.dry_run ? unservedNotesAfter(context, inputOf(tenantId, values)) : unservedNotes(context, tenantId),
  }),
  async run(context, values) {
    const input = inputOf(context.tenantId, values)
    const { name, text } = input.file
    // Who chose a file has its turn already, in the console, or a process alone.
    const diff = values.file
      ? await importProducts(context, input)
      : await inImportTurn(context.tenantId, { name, size: text.length }, () => importProducts(context, input))
    const isGone = values.dry_run && diff.removed.length > 0
    return isGone ? { ...diff, orders: await ordersOfProducts(context, context.tenantId, diff.removed) } : diff
  },
})

export const exportProductFile = defineAct({
  name: 'products.export',
  route: 'GET /products/export',
  id: 'exportProducts',
  roles: READERS,
  summary: 'All products and what they refer to, as a document that can be imported.',
  fields: {},
  answer: named(
    'ProductsFile',
    object({
      version,
      publisher: optional(documentOf<Publisher>(`The publisher, ${IN_IMPORTS}.`)),
      properties: optional(listOf(documentOf<PropertyDocument>(`A property, ${IN_IMPORTS}.`))),
      collections: optional(listOf(documentOf<CollectionDocument>(`A collection, ${IN_IMPORTS}.`))),
      products: listOf(productShape),
      plans: optional(listOf(documentOf<PlanDocument>(`A plan, ${IN_IMPORTS}.`))),
    }),
  ),
  command: {
    help: 'write the products as a file that import reads',
    file: { forms: ['json', 'csv'], text: (file, form) => writeProductFile(file, form === 'csv' ? 'csv' : 'json') },
  },
  run: (context) => exportProducts(context, context.tenantId),
})

type Imported = ProductsDiff & { readonly orders?: readonly ProductOrders[] | undefined }

function inputOf(tenantId: string, values: Values<typeof TABLE_IMPORT>): ImportInput {
  return { tenantId, file: importFile('products', values), ...importHow(values) }
}

function diffLines({ added, removed, changed }: ProductsDiff): readonly string[] {
  return [
    ...added.map((id) => `+ ${id}`),
    ...removed.map((id) => `- ${id}`),
    ...changed.flatMap(({ product_id: productId, fields }) => [
      `~ ${productId}`,
      ...fields.map(({ path, before, after }) => `    ${path}: ${shown(before)} → ${shown(after)}`),
    ]),
  ]
}

/** A value short enough for one line of a report. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '(none)'
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** Orders go on when their product is no longer for sale; somebody should know of them. */
function goesOn({ product_id: id, orders, examples }: ProductOrders): string {
  const named = `${examples.join(', ')}${orders > examples.length ? ', …' : ''}`
  return `${id}: ${orders} running or coming ${orders === 1 ? 'order goes' : 'orders go'} on (${named})`
}

/** The columns of the CSV form of a product file. */
export const PRODUCT_COLUMNS = COLUMNS

/**
 * Imports a product file (JSON, or CSV by its name) and says what that changed, or would change. With `merge` a table may have `product_id` and some other
 * columns alone: they change those values of products that exist. Throws INVALID_REQUEST with one issue a problem when the file is not right in every
 * detail; then nothing is imported.
 */
export async function importProducts(context: ActContext, wanted: ImportInput): Promise<ProductsDiff> {
  const { dryRun } = wanted
  const input = { ...wanted, file: await withProductTable(wanted.file) }
  if (dryRun) return (await checkedImport(context.store.read, context, input)).diff
  return context.store.transaction((tx) => importIn(tx, context, input))
}

/** Imports a product file whose table was decoded before, within a transaction. Throws as {@link importProducts}. */
export async function importIn(tx: Db, context: ActContext, input: Omit<ImportInput, 'dryRun'>): Promise<ProductsDiff> {
  const { stored, file, diff } = await checkedImport(tx, context, input)
  await saveProducts(tx, input.tenantId, file, { merge: input.merge }, context.clock())
  const members = changedMembers(
    { ...fieldsOf(diff, 'before'), ...besideProducts(stored) },
    { ...fieldsOf(diff, 'after'), ...besideProducts({ ...stored, ...file }) },
  )
  const ids = (products: ProductsFile['products']) => products.map(({ product_id: id }) => id)
  const before = ids(stored.products)
  // A merged file leaves the products that are there where they are.
  context.noteAllChanges(importedChanges(diff, members, { before, after: input.merge ? before : ids(file.products) }))
  return diff
}

/** What a file has beside products, for the audit log: the publisher, and properties, collections and plans by their ids. */
function besideProducts({ publisher, properties, collections, plans }: PublisherInventory): object {
  return {
    publisher,
    ...Object.fromEntries(properties.map((each) => [`property ${each.property_id}`, each])),
    ...Object.fromEntries(collections.map((each) => [`collection ${each.collection_id}`, each])),
    ...Object.fromEntries(plans.map((each) => [`plan ${each.proposal_id}`, each])),
  }
}

async function checkedImport(db: Db, context: ActContext, input: Omit<ImportInput, 'dryRun'>) {
  const { stored, result } = await readImport(db, context, input)
  // What tens of thousands of products change takes as long again as reading them.
  await yieldToEventLoop()
  if (result.ok) {
    const diff = diffOf(stored, result.file, input.merge)
    for (const id of diff.added) requireUnreserved('product', id, 'file')
    return { stored, file: result.file, diff }
  }
  const { importError } = await import('../imports/import-problems.ts')
  throw importError(input.file, result.problems)
}

/** The fields that an import changed as they were or are, for the audit log, each below the id of its product. */
function fieldsOf({ changed }: ProductsDiff, side: 'before' | 'after'): object {
  return Object.fromEntries(
    changed.flatMap((each) => each.fields.map((field) => [`${each.product_id}.${field.path}`, field[side]])),
  )
}

/** The products of a publisher as a document of the import format. */
export async function exportProducts({ store }: Pick<OperatorContext, 'store'>, tenantId: string): Promise<ProductsFile> {
  const { publisher, properties, collections, plans, products } = await loadStoredProducts(store.read, tenantId)
  return {
    version: 1,
    ...(publisher && { publisher }),
    ...(properties.length > 0 && { properties }),
    ...(collections.length > 0 && { collections }),
    products,
    ...(plans.length > 0 && { plans }),
  }
}

/** With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
function diffOf(current: Pick<ProductsFile, 'products'>, next: ProductsFile, merge: boolean): ProductsDiff {
  const diff = diffProducts(current.products, next.products)
  return merge ? { ...diff, removed: [], unchanged: [...diff.unchanged, ...diff.removed] } : diff
}
