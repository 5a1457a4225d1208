import type { Command } from 'commander'
import { productActs } from '../operator/products/acts.ts'
import { PRODUCT_COLUMNS } from '../operator/products/import-products.ts'
import { actsCommand } from './act-command.ts'
import { printList, table } from './output.ts'
import { withAnswerOptions } from './store-options.ts'

/** `sales-agent products`: the acts of products, and `columns`, which needs no store. */
export function productsCommand(): Command {
  const products = actsCommand('products', productActs)
  withAnswerOptions(products.command('columns').description('the columns of the CSV form; needs no store')).action(showColumns)
  return products
}

function showColumns({ json }: { readonly json?: boolean }): void {
  const columns = PRODUCT_COLUMNS.map(({ name, scope, required, description }) => ({
    name,
    scope,
    required: required === true,
    description,
  }))
  const rows = columns.map(({ name, scope, required, description }) => [name, scope, required ? 'yes' : '', description])
  printList(json, columns, table(['COLUMN', 'PER', 'REQUIRED', 'MEANING'], rows))
}
