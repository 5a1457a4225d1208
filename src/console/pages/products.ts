import { archiveProduct, restoreProduct } from '../../operator/products/change-product.ts'
import { changeProducts } from '../../operator/products/change-several.ts'
import { exportProductFile, importProductFile } from '../../operator/products/import-products.ts'
import { INVENTORY_DAYS, inventoryOf, type ProductInventory } from '../../operator/products/inventory.ts'
import { type ProductDocument, searchProducts, showProduct } from '../../operator/products/list-products.ts'
import { productHistory } from '../../operator/products/product-history.ts'
import { saveProduct } from '../../operator/products/save-product.ts'
import { describeUnserved } from '../../operator/products/unserved-products.ts'
import { visibilityOf } from '../../operator/products/visibility.ts'
import { productFileInTurns } from '../../operator/products/write-product-file.ts'
import { answerSeveral } from '../answer-several.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { count, percent, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { buyerPricesPanel } from '../parts/buyer-prices.ts'
import { empty, facts, field, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { priceCells } from '../parts/prices.ts'
import { seenBadge, seenPanel } from '../parts/product-visibility.ts'
import { seasonsPanel } from '../parts/seasons.ts'
import { chooseBox, severalForm } from '../parts/several.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** What is for sale. */
export const productRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/products', searchProducts, productsPage),
  actRoute('GET', '/products/export.{form}', exportProductFile, exportFile),
  actRoute('GET', '/products/{id}', showProduct, productPage),
  actRoute('POST', '/products/chosen', changeProducts, answerChosen),
]

async function productsPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base, query } = call
  const search = query.get('search') ?? ''
  const list = await doAct(call, searchProducts, { search, cursor: query.get('cursor') || undefined })
  const inventory = await inventoryOf(operator, tenantId, list.items)
  const visibility = await visibilityOf(operator, tenantId, list.items)
  const hidden = query.get('done') === 'imported' ? await describeUnserved(operator, tenantId) : undefined
  const mayChange = may(call, changeProducts)
  const rows = list.items.map((product, index) => [
    ...(mayChange ? [chooseBox(product.product_id, product.name)] : []),
    html`<a href="${base}/products/${encodeURIComponent(product.product_id)}">${product.name}</a><small>${product.product_id}</small>`,
    statusOf(product),
    seenBadge(visibility[index]),
    words(product.delivery_type),
    (product.channels ?? []).join(', '),
    priceCells(call, product),
    bookedText(inventory[index]),
  ])
  const mayImport = may(call, importProductFile)
  const actions = html`${may(call, saveProduct) && html`<a class="button primary" href="${base}/products/new">New product</a>`}${mayImport && html`<a class="button" href="${base}/products/import">Import a file</a>`}<a class="button" href="${base}/placements">Placements</a><a class="button" href="${base}/products/seen">What buyers see</a><a class="button" href="${base}/products/export.csv">CSV</a><a class="button" href="${base}/products/export.json">JSON</a>`
  const form = html`<form class="filters" method="get" action="${base}/products" role="search">${field('search', 'Search', { type: 'search', value: search })}<button>Show</button>${search !== '' && html` <a class="button" href="${base}/products">Reset</a>`}</form>`
  const columns = [
    ...(mayChange ? [''] : []),
    'Product',
    'Status',
    'Buyers see it',
    'Delivery',
    'Channels',
    'Prices',
    `Booked of the next ${INVENTORY_DAYS} days`,
  ]
  const none = empty(
    list.total === 0 ? 'Nothing is for sale yet' : 'No product fits',
    list.total === 0 && mayImport
      ? html`<a href="${base}/products/import">Import a file</a>: a spreadsheet (.xlsx or CSV) or JSON. Its columns may have names of their own, and the <a href="${base}/products/export.csv">CSV</a> has the names of ours.`
      : list.total > 0
        ? 'Change the search, or reset it.'
        : undefined,
  )
  const body = html`${heading('Products', actions, `${count(list.total)} in all`)}${hidden !== undefined && html`<p class="notice warn">${hidden}.</p>`}${form}${rows.length === 0 ? none : html`${mayChange && severalForm(call, '/products/chosen', CHOSEN_BUTTONS)}${table('Products', columns, rows)}`}${pager(`${base}/products`, query, list.next_cursor)}`
  return page('Products', body)
}

const CHOSEN_BUTTONS = html`<button name="state" value="archived">Take the chosen off sale</button><button name="state" value="active">Put the chosen on sale</button><p class="hint">Orders that run with them go on as they were sold.</p>`

async function answerChosen(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const state = form.get('state') ?? undefined
  const { changed, refused } = await doAct(call, changeProducts, { products: form.getAll('id'), state })
  return answerSeveral(call, {
    ...{ list: 'Products', path: '/products', done: changed.length },
    refused: refused.map(({ product: id, ...why }) => ({ id, ...why })),
    did: state === 'archived' ? 'archived' : 'restored',
    nameOf: (id) => html`<a href="${base}/products/${encodeURIComponent(id)}">${id}</a>`,
  })
}

/** How much of a product's inventory orders hold. */
function bookedText(inventory: ProductInventory | undefined): Html {
  if (!inventory) return html``
  const { booked, capacity } = inventory
  return html`${percent(capacity === 0 ? 0 : booked / capacity)}<small>${count(Math.round(booked))} of ${count(capacity)}</small>`
}

function statusOf({ selling }: ProductDocument): Html {
  return statusBadge(selling.status ?? 'active')
}

async function productPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, base } = call
  const product = await doAct(call, showProduct, { product: params.id })
  const path = `${base}/products/${encodeURIComponent(product.product_id)}`
  const [inventory] = await inventoryOf(operator, tenantId, [product])
  const seen = await seenPanel(call, product)
  const isArchived = product.selling.status === 'archived'
  const edit =
    may(call, saveProduct) &&
    html`<a class="button" href="${path}/edit">Change</a><a class="button" href="${base}/products/new?from=${encodeURIComponent(product.product_id)}">Copy</a>`
  const change = isArchived
    ? may(call, restoreProduct) && html`<a class="button" href="${path}/restore">Put on sale again</a>`
    : may(call, archiveProduct) && html`<a class="button" href="${path}/archive">Take off sale</a>`
  const history = may(call, productHistory) && html`<a class="button" href="${path}/history">Versions</a>`
  const body = html`${heading(html`${product.name} ${statusOf(product)}`, html`${edit}${history}${change}`, product.product_id)}
<section class="panel"><p>${product.description}</p>${facts([
    ['Delivery', words(product.delivery_type)],
    ['Channels', (product.channels ?? []).join(', ')],
    ['Formats', product.format_ids.map((format) => (typeof format === 'string' ? format : format.id)).join(', ')],
    ['Placements', placementLinks(call, product)],
    ['Impressions a day', count(product.selling.daily_capacity)],
    [`Booked of the next ${INVENTORY_DAYS} days`, bookedText(inventory)],
    ['Left to sell', inventory && `${count(Math.round(inventory.left))} impressions`],
    ['Forecast of a month', forecastText(inventory)],
    ['Orders', html`<a href="${base}/orders?product=${encodeURIComponent(product.product_id)}">Orders of this product</a>`],
  ])}</section>
${seen}
<section class="panel"><h2>Prices</h2>${priceTable(call, product)}</section>
${seasonsPanel(call, product)}
${await buyerPricesPanel(call, product)}
<section class="panel"><details><summary>As in the import file</summary><pre>${JSON.stringify(product, undefined, 2)}</pre></details></section>`
  return page(product.name, body)
}

function placementLinks({ base }: TenantCall, { placements = [] }: ProductDocument): Html | undefined {
  if (placements.length === 0) return undefined
  return html`${placements.map(({ placement_id: id, name }) => html`<div><a href="${base}/placements/${encodeURIComponent(id)}">${name ?? id}</a></div>`)}`
}

function forecastText(inventory: ProductInventory | undefined): string | undefined {
  const { low, high } = inventory?.forecast ?? {}
  const figures = [low, high].flatMap((each) => (each === null || each === undefined ? [] : count(each)))
  return figures.length === 0 ? undefined : `${figures.join(' to ')} impressions`
}

function priceTable(call: TenantCall, product: ProductDocument): Html {
  const rows = product.pricing_options.map((option) => [
    option.pricing_option_id,
    priceCells(call, { ...product, pricing_options: [option] }),
  ])
  return table('Prices', ['Id', 'Price'], rows)
}

async function exportFile(call: TenantCall): Promise<Answer> {
  const form = call.params.form === 'csv' ? 'csv' : 'json'
  const products = await doAct(call, exportProductFile, {})
  const type = form === 'csv' ? 'text/csv; charset=utf-8' : 'application/json'
  return { kind: 'file', type, name: `products.${form}`, body: await productFileInTurns(products, form) }
}
