import { exportProducts, importProducts, type ProductsDiff } from '../../operator/products/import-products.ts'
import { writeProductFile } from '../../operator/products/write-product-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { count, money, words } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { badge, csrfField, empty, facts, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, redirect, SELLERS, type TenantCall, tenantRoute } from '../route.ts'

type Products = Awaited<ReturnType<typeof exportProducts>>
type Product = Products['products'][number]

/** What is for sale, and the import of a file: checked, compared, then confirmed. */
export const productRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/products', READERS, productsPage),
  tenantRoute('GET', '/products/export.{form}', READERS, exportFile),
  tenantRoute('GET', '/products/import', SELLERS, async (call) => importPage(call)),
  tenantRoute('POST', '/products/import', SELLERS, answerImport),
  tenantRoute('GET', '/products/{id}', READERS, productPage),
]

/** More rows than a person reads; the search finds the others. */
const MAX_ROWS = 200

async function productsPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base, query, role } = call
  const { products } = await exportProducts(operator, tenantId)
  const search = (query.get('search') ?? '').toLowerCase()
  const found = products.filter(({ product_id: id, name }) => `${id} ${name}`.toLowerCase().includes(search))
  const rows = found
    .slice(0, MAX_ROWS)
    .map((product) => [
      html`<a href="${base}/products/${encodeURIComponent(product.product_id)}">${product.name}</a><small>${product.product_id}</small>`,
      words(product.delivery_type),
      html`${(product.channels ?? []).join(', ')}`,
      product.pricing_options.map((option) => html`<div>${priceOf(option)}</div>`),
      count(product.format_ids.length),
    ])
  const actions = html`${SELLERS.includes(role) && html`<a class="button primary" href="${base}/products/import">Import a file</a>`}<a class="button" href="${base}/products/export.csv">CSV</a><a class="button" href="${base}/products/export.json">JSON</a>`
  const form = html`<form class="filters" method="get" action="${base}/products" role="search"><div class="field"><label for="search">Search</label><input id="search" name="search" type="search" value="${query.get('search') ?? ''}"></div><button>Show</button></form>`
  const list =
    rows.length === 0
      ? empty(
          products.length === 0 ? 'Nothing is for sale yet' : 'No product fits',
          'Import a spreadsheet as CSV, or a JSON file.',
        )
      : table('Products', ['Product', 'Delivery', 'Channels', 'Prices', { title: 'Formats', numeric: true }], rows)
  const lead = found.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${count(found.length)}` : `${count(products.length)} for sale`
  return page('Products', html`${heading('Products', actions, lead)}${form}${list}`)
}

/** A price in words: `CPM €12.00`. */
function priceOf(option: Product['pricing_options'][number]): string {
  const {
    pricing_model: model,
    currency,
    fixed_price: fixed,
    floor_price: floor,
  }: Readonly<Record<string, unknown>> = { ...option }
  const name = String(model).replaceAll('_', ' ').toUpperCase()
  if (typeof fixed === 'number') return `${name} ${money(fixed, String(currency))}`
  return typeof floor === 'number' ? `${name} from ${money(floor, String(currency))}` : `${name} ${String(currency ?? '')}`
}

async function productPage({ operator, tenantId, params }: TenantCall): Promise<Answer> {
  const { products } = await exportProducts(operator, tenantId)
  const product = products.find(({ product_id: id }) => id === params.id)
  if (!product) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no product ${params.id ?? ''}`)
  const body = html`${heading(product.name, undefined, product.product_id)}
<section class="panel"><p>${product.description}</p>${facts([
    ['Delivery', words(product.delivery_type)],
    ['Channels', (product.channels ?? []).join(', ')],
    ['Prices', product.pricing_options.map((option) => html`<div>${priceOf(option)}</div>`)],
    ['Formats', product.format_ids.map((format) => html`<div>${typeof format === 'string' ? format : format.id}</div>`)],
  ])}</section>
<section class="panel"><h2>As in the import file</h2><pre>${JSON.stringify(product, undefined, 2)}</pre></section>`
  return page(product.name, body)
}

async function exportFile({ operator, tenantId, params }: TenantCall): Promise<Answer> {
  const form = params.form === 'csv' ? 'csv' : 'json'
  const body = writeProductFile(await exportProducts(operator, tenantId), form)
  const type = form === 'csv' ? 'text/csv; charset=utf-8' : 'application/json'
  return { kind: 'file', type, name: `products.${form}`, body }
}

interface Attempt {
  readonly name: string
  readonly text: string
  readonly replace: boolean
  readonly diff?: ProductsDiff
  readonly error?: AdcpError
}

function importPage(call: TenantCall, attempt?: Attempt): Answer {
  const action = `${call.base}/products/import`
  const body = html`${heading('Import products')}
${attempt?.error && problems(attempt.error)}
${attempt?.diff && confirm(call, { ...attempt, diff: attempt.diff })}
<section class="panel narrow"><h2>${attempt ? 'Another file' : 'File'}</h2><form method="post" action="${action}" enctype="multipart/form-data">${csrfField(call)}
<div class="field"><label for="file">CSV, or JSON of the import format</label><input id="file" name="file" type="file" accept=".csv,.json,text/csv,application/json" required></div>
<fieldset><legend>Products that the file does not list</legend>
<label class="option"><input type="radio" name="mode" value="merge"${attribute('checked', attempt?.replace !== true)}> stay as they are</label>
<label class="option"><input type="radio" name="mode" value="replace"${attribute('checked', attempt?.replace === true)}> leave the sale: the file is all there is</label></fieldset>
<button class="primary">Check the file</button><p class="hint">Nothing changes yet: you see the difference first. The <a href="${call.base}/products/export.csv">CSV of your products</a> has the right columns.</p></form></section>`
  return page('Import products', body, { status: attempt?.error ? 400 : 200 })
}

/** Without a confirmation the file is only compared. */
async function answerImport(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, form, file, base } = call
  const isConfirmed = form.get('confirmed') === 'yes'
  const name = file?.name ?? form.get('name') ?? 'products.json'
  const text = file?.text ?? form.get('text') ?? ''
  const replace = form.get('mode') === 'replace'
  try {
    const diff = await importProducts(operator, { tenantId, file: { name, text }, dryRun: !isConfirmed, merge: !replace })
    return isConfirmed ? redirect(`${base}/products`, 'imported') : importPage(call, { name, text, replace, diff })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return importPage(call, { name, text, replace, error })
  }
}

function problems(error: AdcpError): Html {
  const rows = (error.issues ?? []).map(({ pointer, message }) => html`<li><code>${pointer}</code> ${message}</li>`)
  return html`<div class="notice bad" role="alert"><p>${error.message}</p>${rows.length > 0 && html`<ul>${rows}</ul>`}</div>`
}

function confirm(call: TenantCall, { name, text, replace, diff }: Attempt & { readonly diff: ProductsDiff }): Html {
  const changed = diff.changed.flatMap(({ productId, fields }) =>
    fields.map(({ path, before, after }) => [productId, path, shown(before), shown(after)]),
  )
  const isChange = diff.added.length + diff.removed.length + diff.changed.length > 0
  return html`<section class="panel"><h2>What ${name} changes</h2>
<p>${badge(`${diff.added.length} new`, 'good')} ${badge(`${diff.changed.length} changed`, 'info')} ${badge(`${diff.removed.length} leave the sale`, diff.removed.length > 0 ? 'bad' : 'calm')} ${badge(`${diff.unchanged.length} unchanged`)}</p>
${diff.added.length > 0 && html`<p>New: ${diff.added.slice(0, MAX_ROWS).join(', ')}</p>`}
${diff.removed.length > 0 && html`<p>Leave the sale: ${diff.removed.slice(0, MAX_ROWS).join(', ')}</p>`}
${changed.length > 0 && table('Changes', ['Product', 'Field', 'Before', 'After'], changed.slice(0, MAX_ROWS))}
${isChange ? html`<form method="post" enctype="multipart/form-data" action="${call.base}/products/import">${csrfField(call)}<input type="hidden" name="confirmed" value="yes"><input type="hidden" name="name" value="${name}"><input type="hidden" name="mode" value="${replace ? 'replace' : 'merge'}"><textarea name="text" hidden aria-label="The file">${text}</textarea><button class="primary">Import it</button></form>` : html`<p>Nothing would change.</p>`}</section>`
}

function shown(value: unknown): Html {
  return html`<code>${value === undefined ? '–' : JSON.stringify(value).slice(0, 300)}</code>`
}
