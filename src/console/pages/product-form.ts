import { standardFormatIds } from '../../domain/creative/formats/standard-formats.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import { quotedCell } from '../../operator/csv-text.ts'
import { listFormats } from '../../operator/formats/import-formats.ts'
import { listPlacements } from '../../operator/placements/manage-placements.ts'
import { type ProductDocument, showProduct } from '../../operator/products/list-products.ts'
import { placementsCell } from '../../operator/products/picked-placements.ts'
import { saveProduct } from '../../operator/products/save-product.ts'
import { MOST_PRICES } from '../../operator/size-limits.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain, storedFormRoute, withRefusal } from '../form-outcome.ts'
import { words } from '../format.ts'
import { html } from '../html.ts'
import { csrfField, field, heading } from '../parts/parts.ts'
import { type FormCells, PLACEMENTS, PRICE_FIELDS, PRODUCT_FIELDS, priceField, productFields } from '../parts/product-fields.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, shownField } from '../shown-form.ts'

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
  for (const name of [...PRODUCT_FIELDS.map((column) => column.name), PLACEMENTS, ...PRICE_NAMES.flat()]) {
    const texts = form.getAll(name).map((each) => each.trim())
    cells.set(name, texts.length > 1 ? texts.join('|') : (texts[0] ?? ''))
  }
  return cells
}

const NOTHING: FormCells = new Map()

/** The prices of a form as one thing: whoever changes one of them saw all. */
const PRICES = 'prices'

const LABELS: ReadonlyMap<string, string> = new Map(
  [...PRODUCT_FIELDS.map(({ name }) => name), PLACEMENTS, PRICES].map((name) => [
    name,
    name === PRICES ? 'The price list' : words(name),
  ]),
)

/** The names of the fields of each price that a form may have. */
const PRICE_NAMES = Array.from({ length: MOST_PRICES }, (_none, index) => PRICE_FIELDS.map(({ name }) => priceField(index, name)))

/** Every price that is none but empty fields is left out. */
function pricesText(cells: FormCells): string {
  const prices = PRICE_NAMES.map((names) => names.flatMap((name) => cells.get(name) || []).join(' '))
  return prices.filter((text) => text !== '').join('; ')
}

/** What the form shows of a product as it is stored. */
function inputsOf(product: ProductDocument): Inputs {
  const { cells } = cellsOf(product)
  const own = [...PRODUCT_FIELDS.map(({ name }) => name), PLACEMENTS].map((name) => {
    const cell = cells.get(name) ?? ''
    return [name, ['format_ids', PLACEMENTS].includes(name) ? cell.split('|').filter((each) => each !== '') : cell] as const
  })
  return { ...Object.fromEntries(own), [PRICES]: pricesText(cells) }
}

function folded(form: URLSearchParams): URLSearchParams {
  const all = new URLSearchParams(form)
  all.set(PRICES, pricesText(cellsIn(form)))
  return all
}

/** The cells of a form: what is stored of the product, under what the person changed. */
function cellsUnder(product: ProductDocument, form: URLSearchParams, filled: URLSearchParams): FormCells {
  const { cells: stored } = cellsOf(product)
  const prices = filled.get(PRICES) === pricesText(stored) ? stored : cellsIn(form)
  const priceCells = PRICE_NAMES.flat().map((name): [string, string] => [name, prices.get(name) ?? ''])
  return new Map([...cellsIn(filled), ...priceCells])
}

/** A product by a form: a new one, a copy of one, and changes of one. The form is the table of an import with one product. */
export const productFormRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/products/new', saveProduct, newPage),
  actRoute('POST', '/products/new', saveProduct, orAgain(saveNew, withRefusal(newPage))),
  actRoute('GET', '/products/{id}/edit', saveProduct, editPage),
  storedFormRoute('/products/{id}/edit', saveProduct, {
    labels: LABELS,
    read: async (call) => inputsOf(await productOf(call)),
    folded,
    save: saveChanged,
    again: withRefusal(editPage),
  }),
]

function productOf(call: TenantCall): Promise<ProductDocument> {
  return doAct(call, showProduct, { product: call.params.id })
}

interface Change {
  readonly cells: FormCells
  readonly before: FormCells
  /** That is changed; absent: a new one. */
  readonly product?: ProductDocument
}

/** The rows of a product: what differs from `before`, or all. Prices that were left empty are none. Throws INVALID_REQUEST for changed prices where the form does not hold all. */
async function rowsOf(call: TenantCall, id: string, { cells, before, product }: Change): Promise<string> {
  const isChanged = (name: string) => (cells.get(name) ?? '') !== (before.get(name) ?? '')
  const indexes = Array.from({ length: MOST_PRICES }, (_none, index) => index)
  const priced = indexes.filter((index) => PRICE_FIELDS.some(({ name }) => (cells.get(priceField(index, name)) ?? '') !== ''))
  const own = PRODUCT_FIELDS.map(({ name }) => name).filter(isChanged)
  const arePrices = indexes.some((index) => PRICE_FIELDS.some(({ name }) => isChanged(priceField(index, name))))
  const priceCount = product?.pricing_options.length ?? 0
  if (arePrices && priceCount > MOST_PRICES)
    throw new AdcpError(
      'INVALID_REQUEST',
      `${id} has ${priceCount} prices and this form takes ${MOST_PRICES}: change a price in place, or all by an import`,
    )
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
  const { form } = call
  if (form.size > 0) return formPage(call, { cells: cellsIn(form), prices: 1, id: writtenId(form) })
  const from = call.query.get('from') || undefined
  if (from === undefined) return formPage(call, { cells: new Map([['delivery_type', 'non_guaranteed']]), prices: 1 })
  const source = await doAct(call, showProduct, { product: from })
  const { cells, prices } = cellsOf(source)
  return formPage(call, { cells: new Map([...cells, ['name', `Copy of ${source.name}`]]), prices })
}

function writtenId(form: URLSearchParams): string {
  return form.get('product_id')?.trim() ?? ''
}

async function saveNew(call: TenantCall): Promise<Answer> {
  const product = writtenId(call.form)
  const csv = await rowsOf(call, product, { cells: cellsIn(call.form), before: NOTHING })
  await doAct(call, saveProduct, { product, csv, only_new: true })
  return redirect(`${call.base}/products/${encodeURIComponent(product)}`, 'added')
}

async function editPage(call: TenantCall): Promise<Answer> {
  const product = await productOf(call)
  const { form } = call
  const filled = filledForm(folded(form), inputsOf(product))
  return formPage(call, { cells: cellsUnder(product, form, filled), prices: cellsOf(product).prices, product })
}

async function saveChanged(call: TenantCall, { filled }: SentForm): Promise<Answer> {
  const product = await productOf(call)
  const { product_id: id } = product
  const change = { cells: cellsUnder(product, call.form, filled), before: cellsOf(product).cells, product }
  await doAct(call, saveProduct, { product: id, csv: await rowsOf(call, id, change) })
  return redirect(`${call.base}/products/${encodeURIComponent(id)}`, 'changed')
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
  const formats = [...own, ...standardFormatIds]
  const path = product ? `${base}/products/${encodeURIComponent(product.product_id)}` : `${base}/products`
  const title = product ? `Change ${product.name}` : 'New product'
  const body = html`${heading(title, undefined, product?.product_id)}
<section class="panel"><form method="post" action="${path}/${product ? 'edit' : 'new'}">${csrfField(call)}${product && shownField(inputsOf(product))}
${!product && field('product_id', 'Product id', { value: id, required: true, of: saveProduct.fields.product, hint: 'It stays for good.' })}
${productFields(cells, { prices, formats, placements: await placementsOf(call) })}
<p class="hint">A price with an empty form is none. Prices that orders have stay as they were sold.</p>
<button class="primary">${product ? 'Save the changes' : 'Add the product'}</button> <a class="button" href="${path}">Leave it as it is</a></form></section>`
  return page(title, body)
}
