import { Command, Option } from 'commander'
import type { OperatorContext } from '../operator/operator-context.ts'
import { exportProducts, importProducts, PRODUCT_COLUMNS, type ProductsDiff } from '../operator/products/import-products.ts'
import { listProductInventory } from '../operator/products/inventory.ts'
import { ordersOfProducts } from '../operator/products/orders-of-products.ts'
import { writeProductFile } from '../operator/products/write-product-file.ts'
import { addProductChanges } from './change-products.ts'
import { addExport, addImport } from './import-commands.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { percent, printList, table, withMore } from './output.ts'
import { withStoreOptions } from './store-options.ts'
import { warnUnserved, warnUnservedAfter } from './warn-unserved.ts'

interface Options extends TenantOption {
  readonly json?: boolean
}

interface ExportOptions extends TenantOption {
  readonly format: 'json' | 'csv'
  readonly out?: string
}

/** `sales-agent products import|export|columns|list|inventory|set|archive|restore`. */
export function productsCommand(): Command {
  const products = new Command('products')
  addImport(products, {
    description:
      'add and change products from a JSON, CSV or .xlsx file; a table may have product_id and the columns that change alone',
    replace: 'take products off sale that the file does not list',
    touched: ordersTouched,
    run: importProducts,
    imported: warnUnserved,
    tried: warnUnservedAfter,
    present: (diff) => ({ value: diff, lines: diffLines(diff) }),
  })
  addExport<ExportOptions>(products, 'write the products as a file that import reads', async (operator, tenantId, { format }) =>
    writeProductFile(await exportProducts(operator, tenantId), format),
  ).addOption(new Option('--format <form>', 'form of the file').choices(['json', 'csv']).default('json'))
  withStoreOptions(products.command('columns').description('the columns of the CSV form; needs no store'))
    .option('--json')
    .action(columnsAction)
  withStoreOptions(products.command('list').description('list the products'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  withStoreOptions(products.command('inventory').description('what is left to sell of each product in the next 30 days'))
    .option('--tenant <id>')
    .option('--search <words>', 'words, each somewhere in the text of the product')
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .option('--json')
    .action(inventoryAction)
  addProductChanges(products)
  return products
}

/** Orders go on when their product is no longer for sale; somebody should know of them. */
async function ordersTouched(operator: OperatorContext, tenantId: string, { removed }: ProductsDiff): Promise<string[]> {
  const found = await ordersOfProducts(operator, tenantId, removed)
  return found.map(
    ({ product_id: id, orders, examples }) =>
      `${id}: ${orders} running or coming ${orders === 1 ? 'order goes' : 'orders go'} on (${examples.join(', ')}${orders > examples.length ? ', …' : ''})`,
  )
}

function columnsAction({ json }: Pick<Options, 'json'>): void {
  const columns = PRODUCT_COLUMNS.map(({ name, scope, required, description }) => ({
    name,
    scope,
    required: required === true,
    description,
  }))
  const rows = columns.map(({ name, scope, required, description }) => [name, scope, required ? 'yes' : '', description])
  printList(json, columns, table(['COLUMN', 'PER', 'REQUIRED', 'MEANING'], rows))
}

function listAction(options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { products } = await exportProducts(operator, tenantId)
    const rows = products.map((product) => [
      product.product_id,
      product.name,
      (product.channels ?? []).join(','),
      product.delivery_type,
      product.pricing_options.map((option) => `${option.pricing_model} ${option.currency}`).join(', '),
      `${product.selling.status ?? 'active'}${product.selling.visibility === 'custom' ? ', custom' : ''}`,
    ])
    printList(options.json, products, table(['PRODUCT', 'NAME', 'CHANNELS', 'DELIVERY', 'PRICES', 'STATUS'], rows))
  })
}

function inventoryAction({ search, cursor, ...options }: Options & { search?: string; cursor?: string }): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const page = await listProductInventory(operator, { tenantId, search, cursor })
    const rows = page.inventory.map(({ product_id: id, name, status, capacity, booked, left }) => [
      id,
      name,
      ...[capacity, booked, left].map((each) => Math.round(each).toLocaleString('en')),
      percent(capacity === 0 ? 0 : booked / capacity),
      status,
    ])
    const lines = table(['PRODUCT', 'NAME', 'CAPACITY', 'BOOKED', 'LEFT', 'SHARE', 'STATUS'], rows)
    printList(options.json, page.inventory, withMore(lines, page.next_cursor), page.next_cursor)
  })
}

function diffLines(diff: ProductsDiff): string[] {
  return [
    ...diff.added.map((id) => `+ ${id}`),
    ...diff.removed.map((id) => `- ${id}`),
    ...diff.changed.flatMap(({ product_id: productId, fields }) => [
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
