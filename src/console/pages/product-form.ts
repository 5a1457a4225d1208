import { standardFormatIds } from '../../domain/creative/formats/standard-formats.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import { quotedCell } from '../../operator/csv-text.ts'
import { listFormats } from '../../operator/formats/import-formats.ts'
import { listPlacements } from '../../operator/placements/manage-placements.ts'
import { type ProductDocument, showProduct } from '../../operator/products/list-products.ts'
import { placementsCell } from '../../operator/products/picked-placements.ts'
import { digestOfProduct, saveProduct } from '../../operator/products/save-product.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import { MOST_PRICES } from '../../operator/size-limits.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { type Html, html } from '../html.ts'
import { csrfField, field, heading } from '../parts/parts.ts'
import { type FormCells, PLACEMENTS, PRICE_FIELDS, PRODUCT_FIELDS, priceField, productFields } from '../parts/product-fields.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** A product by a form: a new one, a copy of one, and changes of one. The form is the table of an import with one product. */
export const productFormRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/products/new', saveProduct, newPage),
  actRoute('POST', '/products/new', saveProduct, answerNew),
  actRoute('GET', '/products/{id}/edit', saveProduct, editPage),
  actRoute('POST', '/products/{id}/edit', saveProduct, answerEdit),
]

/** Cells of a product as the fields of the form. */
function cellsOf(product: ProductDocument): { readonly cells: FormCells; readonly prices: number } {
  const cells = new Map<string, string>()
  const records = csvRecords([product])
  for (const [index, record] of records.entries()) {
    const at = (name: string) => record[csvHeader.indexOf(name)] ?? ''
    if (index === 0) for (const { name } of PRODUCT_FIELDS) cells.set(name, at(name))
    for (const { name } of PRICE_FIELDS) cells.set(priceField(index, name), at(name))
  }
  cells.set(PLACEMENTS, (product.placements ?? []).map((each) => each.placement_id).join('|'))
  return { cells, prices: records.length }
}

/** What was written into a form. */
function cellsIn(form: URLSearchParams): FormCells {
  const cells = new Map<string, string>()
  const prices = Array.from({ length: MOST_PRICES }, (_none, index) =>
    PRICE_FIELDS.map(({ name }) => priceField(index, name)),
  ).flat()
  for (const name of [...PRODUCT_FIELDS.map((column) => column.name), PLACEMENTS, ...prices]) {
    const texts = form.getAll(name).map((each) => each.trim())
    cells.set(name, texts.length > 1 ? texts.join('|') : (texts[0] ?? ''))
  }
  return cells
}

const NOTHING: FormCells = new Map()

interface Change {
  readonly cells: FormCells
  readonly before: FormCells
  /** That is changed; absent: a new one. */
  readonly product?: ProductDocument
}

/** The rows of a product: what differs from `before`, or all. Prices that were left empty are none. */
async function rowsOf(call: TenantCall, id: string, { cells, before, product }: Change): Promise<string> {
  const isChanged = (name: string) => (cells.get(name) ?? '') !== (before.get(name) ?? '')
  const indexes = Array.from({ length: MOST_PRICES }, (_none, index) => index)
  const priced = indexes.filter((index) => PRICE_FIELDS.some(({ name }) => (cells.get(priceField(index, name)) ?? '') !== ''))
  const own = PRODUCT_FIELDS.map(({ name }) => name).filter(isChanged)
  const arePrices = indexes.some((index) => PRICE_FIELDS.some(({ name }) => isChanged(priceField(index, name))))
  const option = arePrices ? PRICE_FIELDS.map(({ name }) => name) : []
  const listed = (name: string) => (cells.get(name) ?? '').split('|').filter((each) => each !== '')
  // Placements say which formats of the product they show.
  const isPlaced = isChanged(PLACEMENTS) || (isChanged('format_ids') && listed(PLACEMENTS).length > 0)
  const picked = { ids: listed(PLACEMENTS), formats: listed('format_ids'), before: product }
  const json = isPlaced ? [await placementsCell(call.operator, call.tenantId, picked)] : []
  const rows = (arePrices ? priced : [0]).map((index, row) => [
    id,
    ...json.map((cell) => (row === 0 ? cell : '')),
    ...own.map((name) => (row === 0 ? (cells.get(name) ?? '') : '')),
    ...option.map((name) => cells.get(priceField(index, name)) ?? ''),
  ])
  return [['product_id', ...json.map(() => 'product_json'), ...own, ...option], ...rows]
    .map((line) => `${line.map(quotedCell).join(',')}\r\n`)
    .join('')
}

async function newPage(call: TenantCall): Promise<Answer> {
  const from = call.query.get('from') || undefined
  if (from === undefined) return formPage(call, { cells: new Map([['delivery_type', 'non_guaranteed']]), prices: 1 })
  const source = await doAct(call, showProduct, { product: from })
  const { cells, prices } = cellsOf(source)
  return formPage(call, { cells: new Map([...cells, ['name', `Copy of ${source.name}`]]), prices })
}

async function answerNew(call: TenantCall): Promise<Answer> {
  const id = call.form.get('product_id')?.trim() ?? ''
  return save(call, id, { before: NOTHING }, () => formPage(call, { cells: cellsIn(call.form), prices: 1, id }))
}

async function editPage(call: TenantCall): Promise<Answer> {
  const product = await doAct(call, showProduct, { product: call.params.id })
  return formPage(call, { ...cellsOf(product), product })
}

async function answerEdit(call: TenantCall): Promise<Answer> {
  const product = await doAct(call, showProduct, { product: call.params.id })
  const { cells: before, prices } = cellsOf(product)
  return save(call, product.product_id, { before, product }, () => formPage(call, { cells: cellsIn(call.form), prices, product }))
}

async function save(call: TenantCall, id: string, known: Omit<Change, 'cells'>, again: () => Promise<Answer>): Promise<Answer> {
  const cells = cellsIn(call.form)
  try {
    const { done } = await doAct(call, saveProduct, {
      product: id,
      csv: await rowsOf(call, id, { cells, ...known }),
      digest: call.form.get('digest') ?? '',
    })
    return redirect(`${call.base}/products/${encodeURIComponent(id)}`, done === 'added' ? 'added' : 'changed')
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    const shown = await again()
    if (shown.kind !== 'page') return shown
    return { ...shown, status: statusOf(error), body: html`${problemsOf(error)}${shown.body}` }
  }
}

function problemsOf(error: AdcpError): Html {
  const rows = (error.issues ?? []).map(({ pointer, message }) => html`<li><code>${pointer}</code> ${message}</li>`)
  return html`<div class="notice bad" role="alert">${rows.length > 0 ? html`<p>Nothing was saved:</p><ul>${rows}</ul>` : html`<p>${error.message}</p>`}</div>`
}

/** Placements of the choice; those of the product that are beyond them stay chosen. */
const OFFERED_PLACEMENTS = 200

async function placementsOf(call: TenantCall) {
  const { items } = await doAct(call, listPlacements, { limit: OFFERED_PLACEMENTS })
  return items.map(({ placement_id: id, name, kind, sizes }) => ({ id, text: `${name}: ${[kind, ...sizes].join(' ')}` }))
}

interface Filled {
  readonly cells: FormCells
  readonly prices: number
  /** That is changed; absent: a new one. */
  readonly product?: ProductDocument
  /** Id of a new one, as it was written. */
  readonly id?: string
}

async function formPage(call: TenantCall, { cells, prices, product, id = '' }: Filled): Promise<Answer> {
  const { base } = call
  const own = (await doAct(call, listFormats, {})).items.map((format) => format.id)
  // A form that is shown again still says what it was filled from: what a colleague saved meanwhile stays refused.
  const digest = call.form.get('digest') || (product ? digestOfProduct(product) : '')
  const formats = [...own, ...standardFormatIds]
  const path = product ? `${base}/products/${encodeURIComponent(product.product_id)}` : `${base}/products`
  const title = product ? `Change ${product.name}` : 'New product'
  const body = html`${heading(title, undefined, product?.product_id)}
<section class="panel"><form method="post" action="${path}/${product ? 'edit' : 'new'}">${csrfField(call)}<input type="hidden" name="digest" value="${digest}">
${!product && field('product_id', 'Product id', { value: id, required: true, hint: 'Letters, digits, dot, colon, hyphen and underscore; it stays for good.' })}
${productFields(cells, { prices, formats, placements: await placementsOf(call) })}
<p class="hint">A price with an empty form is none. Prices that orders have stay as they were sold.</p>
<button class="primary">${product ? 'Save the changes' : 'Add the product'}</button> <a class="button" href="${path}">Leave it as it is</a></form></section>`
  return page(title, body)
}
