import { Command, Option } from 'commander'
import type { CatalogueDocument } from '../domain/product/catalogue-file.ts'
import { COLUMNS } from '../domain/product/csv-columns.ts'
import { type CatalogueDiff, diffProducts } from '../domain/product/diff-products.ts'
import { Schemas } from '../protocol/schemas.ts'
import { loadCustomFormats } from '../store/creative/custom-formats.ts'
import type { Store } from '../store/database.ts'
import { loadCatalogue } from '../store/product/products.ts'
import { saveCatalogue } from '../store/product/save-catalogue.ts'
import { asOperator } from './as-operator.ts'
import { importHead, writeExport } from './import-document.ts'
import { importError } from './import-files.ts'
import { print, table } from './output.ts'
import { readProductFile, writeProductFile } from './product-files.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

export interface ImportOptions {
  /** Check and compare only. */
  readonly dryRun: boolean
  /** Keep products that the file does not list. Default: the file is the whole catalogue. */
  readonly merge?: boolean
  readonly schemas?: Schemas
}

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly merge?: boolean
  readonly format: 'json' | 'csv'
  readonly out?: string
  readonly json?: boolean
}

/**
 * Imports a product file into a tenant's catalogue and says what that changed (or would change). Throws INVALID_REQUEST with one
 * issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importProducts(
  store: Store,
  tenantId: string,
  file: string,
  options: ImportOptions,
): Promise<CatalogueDiff> {
  const own = (await loadCustomFormats(store.read, tenantId)).map(({ id }) => id)
  const read = readProductFile(file, options.schemas ?? new Schemas(), own)
  if (!read.ok) throw importError(file, read.problems)
  const { catalogue } = read
  if (options.dryRun) return diffOf(await loadCatalogue(store.read, tenantId), catalogue, options.merge === true)
  return asOperator(store, { task: 'products.import', tenant: tenantId }).transaction(async (tx) => {
    const diff = diffOf(await loadCatalogue(tx, tenantId), catalogue, options.merge === true)
    await saveCatalogue(tx, tenantId, catalogue, { merge: options.merge === true }, new Date())
    return diff
  })
}

/** The catalogue of a tenant as a document of the import format. */
export async function exportProducts(store: Store, tenantId: string): Promise<CatalogueDocument> {
  const { publisher, properties, collections, plans, products } = await loadCatalogue(store.read, tenantId)
  return {
    version: 1,
    ...(publisher && { publisher }),
    ...(properties.length > 0 && { properties }),
    ...(collections.length > 0 && { collections }),
    products,
    ...(plans.length > 0 && { plans }),
  }
}

/** `sales-agent products import|export|columns|list`. */
export function productsCommand(): Command {
  const products = new Command('products').description('the catalogue of a publisher')
  withStoreOptions(products.command('import <file>').description('replace the catalogue with a JSON or CSV file'))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
    .option('--merge', 'keep products that the file does not list')
    .option('--json')
    .action(importAction)
  withStoreOptions(products.command('export').description('write the catalogue as a file that import reads'))
    .option('--tenant <id>')
    .addOption(new Option('--format <form>').choices(['json', 'csv']).default('json'))
    .option('--out <file>', 'file to write (default: standard output)')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const catalogue = await exportProducts(store, await chooseTenant(store, options.tenant))
        const text = writeProductFile(catalogue, options.format)
        writeExport(options.out, text)
      }),
    )
  products
    .command('columns')
    .description('the columns of the CSV form')
    .option('--json')
    .action(({ json }: Pick<Options, 'json'>) =>
      print(
        json,
        {
          columns: COLUMNS.map(({ name, scope, required, description }) => ({
            name,
            scope,
            required: required === true,
            description,
          })),
        },
        table(
          ['COLUMN', 'PER', 'REQUIRED', 'MEANING'],
          COLUMNS.map(({ name, scope, required, description }) => [name, scope, required ? 'yes' : '', description]),
        ),
      ),
    )
  withStoreOptions(products.command('list').description('list the products'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  return products
}

function importAction(file: string, options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const dryRun = options.dryRun === true
    const diff = await importProducts(store, tenantId, file, { dryRun, merge: options.merge === true })
    print(options.json, { tenant: tenantId, dry_run: dryRun, ...presentDiff(diff) }, [
      importHead(tenantId, dryRun, diff),
      ...diffLines(diff),
    ])
  })
}

function listAction(options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const { products } = await exportProducts(store, await chooseTenant(store, options.tenant))
    print(
      options.json,
      { products },
      table(
        ['PRODUCT', 'NAME', 'CHANNELS', 'DELIVERY', 'PRICES', 'STATUS'],
        products.map((product) => [
          product.product_id,
          product.name,
          (product.channels ?? []).join(','),
          product.delivery_type,
          product.pricing_options.map((option) => `${option.pricing_model} ${option.currency}`).join(', '),
          `${product.selling.status ?? 'active'}${product.selling.visibility === 'custom' ? ', custom' : ''}`,
        ]),
      ),
    )
  })
}

/** With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
function diffOf(current: Pick<CatalogueDocument, 'products'>, next: CatalogueDocument, merge: boolean): CatalogueDiff {
  const diff = diffProducts(current.products, next.products)
  return merge ? { ...diff, removed: [], unchanged: [...diff.unchanged, ...diff.removed] } : diff
}

function presentDiff(diff: CatalogueDiff) {
  return { ...diff, changed: diff.changed.map(({ productId, fields }) => ({ product_id: productId, fields })) }
}

function diffLines(diff: CatalogueDiff): string[] {
  return [
    ...diff.added.map((id) => `+ ${id}`),
    ...diff.removed.map((id) => `- ${id}`),
    ...diff.changed.flatMap(({ productId, fields }) => [
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
