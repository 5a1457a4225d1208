import { AdcpError } from '../../protocol/errors.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import { defineAct } from '../act.ts'
import { fileText, flag, required } from '../fields.ts'
import { requireUnreserved } from '../reserved-ids.ts'
import { SELLERS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { importIn } from './import-products.ts'
import { NEW_PRODUCT } from './product-shapes.ts'
import { withProductTable } from './product-table.ts'
import { watchedProduct } from './watched-product.ts'

/**
 * Adds or changes one product from its own CSV rows, in the format of imports: columns that are absent stay as they are. Throws CONFLICT for one that is to be new and is there, INVALID_REQUEST for
 * rows of another product, and with one issue a problem for what an import would refuse.
 */
export const saveProduct = defineAct({
  name: 'products.save',
  route: 'PUT /products/{product}',
  id: 'saveProduct',
  roles: SELLERS,
  summary: 'Adds a product, or changes one, from its rows in the CSV form of imports; columns that are absent stay as they are.',
  fields: {
    product: NEW_PRODUCT,
    csv: required(fileText('its rows, as CSV: one a price, with the headings of the export')),
    only_new: flag('only when there is no such product yet: refused otherwise'),
  },
  answer: object({ product_id: string, done: word('added', 'changed', 'unchanged') }),
  watch: watchedProduct,
  async run(context, { product, csv, only_new: onlyNew = false }) {
    const file = await withProductTable({ name: 'product.csv', sent: 'csv', text: csv })
    return context.store.transaction(async (tx) => {
      const known = await findOwnProduct(tx, context.tenantId, product)
      if (!known) requireUnreserved('product', product)
      if (onlyNew && known)
        throw new AdcpError('CONFLICT', `there is a product ${product}; choose another id`, { field: 'product' })
      // The product alone is watched: its fields need no id before their path.
      const own = { ...context, noteAllChanges: () => undefined }
      const { added, changed } = await importIn(tx, own, { tenantId: context.tenantId, file, merge: true })
      const other = [...added, ...changed.map((each) => each.product_id)].find((id) => id !== product)
      if (other !== undefined)
        throw new AdcpError('INVALID_REQUEST', `the rows are of ${other}, not of ${product}`, { field: 'csv' })
      const done = added.length > 0 ? 'added' : changed.length > 0 ? 'changed' : 'unchanged'
      return { product_id: product, done } as const
    })
  },
})
