import type { Command } from 'commander'
import { archiveProduct, type ChangedProduct, restoreProduct, setProduct } from '../operator/products/change-product.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly price?: string
  readonly json?: boolean
}

/** Adds `set <id> column=value…`, `archive <id>` and `restore <id>` to the command `products`. */
export function addProductChanges(products: Command): void {
  withStoreOptions(
    products.command('set <id> <column=value...>').description('change values of a product, by the columns of the CSV form'),
  )
    .option('--tenant <id>')
    .option('--price <pricing_option_id>', 'which price, where the product has several')
    .option('--json')
    .action((productId: string, assignments: readonly string[], options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const change = { tenantId, productId, cells: cellsOf(assignments), pricingOptionId: options.price }
        report(options, 'changed', await setProduct(operator, change))
      }),
    )
  withStoreOptions(products.command('archive <id>').description('take a product off sale; its orders go on'))
    .option('--tenant <id>')
    .option('--json')
    .action((productId: string, options: Options) =>
      operateFor(options, async (operator, tenantId) =>
        report(options, 'archived', await archiveProduct(operator, tenantId, productId)),
      ),
    )
  withStoreOptions(products.command('restore <id>').description('put a product back on sale'))
    .option('--tenant <id>')
    .option('--json')
    .action((productId: string, options: Options) =>
      operateFor(options, async (operator, tenantId) =>
        report(options, 'on sale', await restoreProduct(operator, tenantId, productId)),
      ),
    )
}

function report({ json }: Options, done: string, { product, orders }: ChangedProduct): void {
  const running = orders.map(({ orders: count, examples }) => `${count} running or coming: ${examples.join(', ')}`)
  print(json, { product, orders }, [`${product.product_id} is ${done}`, ...running])
}

function cellsOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf('=')
      if (at > 0) return [assignment.slice(0, at), assignment.slice(at + 1)]
      throw new AdcpError('INVALID_REQUEST', `"${assignment}" is not of the form column=value, e.g. price=12.5`, {
        field: 'column',
      })
    }),
  )
}
