import { cells, count, flag, required, text } from '../../operator/fields.ts'
import { importFormats, listFormats, listStandardFormats, removeFormat } from '../../operator/formats/import-formats.ts'
import { archiveProduct, checkProductChange, restoreProduct, setProduct } from '../../operator/products/change-product.ts'
import { exportProducts, importProducts } from '../../operator/products/import-products.ts'
import { INVENTORY_DAYS, listProductInventory } from '../../operator/products/inventory.ts'
import { listProducts, showProduct } from '../../operator/products/list-products.ts'
import { READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { exportSignals, importSignals } from '../../operator/signals/import-signals.ts'
import { importFile, importHow, MERGED_IMPORT, TABLE_IMPORT } from '../import-file.ts'
import { type AdminOperation, operation } from '../operation.ts'

export const productOperations: readonly AdminOperation[] = [
  operation('GET /products', 'listProducts', {
    roles: READERS,
    summary: 'Products, archived ones too, by pages.',
    fields: {
      search: text('words, each somewhere in the text of the product'),
      cursor: text('next_cursor of the page before'),
      limit: count('products of a page, 1 to 200; default 50'),
    },
    async run(context, { tenantId, values }) {
      const page = await listProducts(context, { tenantId, ...values })
      return { ...list(page.products, page.next_cursor), total: page.total }
    },
  }),
  operation('GET /inventory', 'listProductInventory', {
    roles: READERS,
    summary: `What is for sale of each product and what orders hold of it, in impressions of the next ${INVENTORY_DAYS} days, by pages.`,
    fields: {
      search: text('words, each somewhere in the text of the product'),
      cursor: text('next_cursor of the page before'),
      limit: count('products of a page, 1 to 200; default 50'),
    },
    async run(context, { tenantId, values }) {
      const page = await listProductInventory(context, { tenantId, ...values })
      return list(page.inventory, page.next_cursor)
    },
  }),
  operation('GET /products/export', 'exportProducts', {
    roles: READERS,
    summary: 'All products and what they refer to, as a document that can be imported.',
    fields: {},
    run: (context, { tenantId }) => exportProducts(context, tenantId),
  }),
  operation('POST /products/import', 'importProducts', {
    roles: SELLERS,
    summary:
      'Imports a product file, and says what that changes. CSV may have product_id and the columns that change alone for products that exist, unless replace is sent.',
    fields: TABLE_IMPORT,
    run: (context, { tenantId, values }) =>
      importProducts(context, { tenantId, file: importFile('products', values), ...importHow(values) }),
  }),
  operation('GET /products/{product}', 'showProduct', {
    roles: READERS,
    summary: 'One product.',
    fields: {},
    run: (context, { tenantId, params }) => showProduct(context, tenantId, params.product),
  }),
  operation('PATCH /products/{product}', 'setProduct', {
    roles: SELLERS,
    summary: 'Changes some values of a product, with the checks of an import.',
    fields: {
      cells: required(cells('values by the columns of the CSV form; an empty one takes the value away')),
      pricing_option_id: text('the price that option columns are about, where there are several'),
      expected: cells('what the cells were when they were read; one that has changed since is a CONFLICT'),
      dry_run: flag('only check'),
    },
    async run(context, { tenantId, params, values }) {
      const { cells: changed, pricing_option_id: pricingOptionId, expected, dry_run: isTrial } = values
      const change = { tenantId, productId: params.product, cells: changed, pricingOptionId, expected }
      return isTrial ? { product: await checkProductChange(context, change), orders: [] } : setProduct(context, change)
    },
  }),
  operation('POST /products/{product}/archive', 'archiveProduct', {
    roles: SELLERS,
    summary: 'Takes a product off sale; orders that run with it go on.',
    fields: {},
    run: (context, { tenantId, params }) => archiveProduct(context, tenantId, params.product),
  }),
  operation('POST /products/{product}/restore', 'restoreProduct', {
    roles: SELLERS,
    summary: 'Puts a product back on sale.',
    fields: {},
    run: (context, { tenantId, params }) => restoreProduct(context, tenantId, params.product),
  }),
  operation('GET /formats', 'listFormats', {
    roles: READERS,
    summary: 'The creative formats of the publisher.',
    fields: { standard: flag('the standard formats in their place, which every product may have') },
    run: async (context, { tenantId, values }) =>
      list<object>(values.standard ? listStandardFormats() : await listFormats(context, tenantId)),
  }),
  operation('POST /formats/import', 'importFormats', {
    roles: SELLERS,
    summary: 'Imports a file of the publisher’s own formats, and says what that changes.',
    fields: MERGED_IMPORT,
    run: (context, { tenantId, values }) =>
      importFormats(context, { tenantId, file: importFile('formats', values), ...importHow(values) }),
  }),
  operation('DELETE /formats/{format}', 'removeFormat', {
    roles: SELLERS,
    summary: 'Removes one of the own formats; refused while a product sells it.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeFormat(context, { tenantId, formatId: params.format })
      return { format_id: params.format, removed: true }
    },
  }),
  operation('GET /signals/export', 'exportSignals', {
    roles: READERS,
    summary: 'The signals that the publisher sells, as a document that can be imported.',
    fields: {},
    run: (context, { tenantId }) => exportSignals(context, tenantId),
  }),
  operation('POST /signals/import', 'importSignals', {
    roles: SELLERS,
    summary: 'Imports a file of signals, and says what that changes.',
    fields: MERGED_IMPORT,
    run: (context, { tenantId, values }) =>
      importSignals(context, { tenantId, file: importFile('signals', values), ...importHow(values) }),
  }),
]
