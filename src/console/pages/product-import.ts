import { missingColumns } from '../../domain/product/csv-columns.ts'
import type { ImportFile } from '../../operator/imports/import-document.ts'
import { ChosenFile } from '../../operator/imports/import-fields.ts'
import { importFileOf } from '../../operator/imports/import-file.ts'
import { inImportTurn } from '../../operator/imports/import-turn.ts'
import { nameProducts } from '../../operator/orders/name-order-parts.ts'
import { type FileProblem, productFileProblems } from '../../operator/products/check-product-file.ts'
import { importProductFile, type ProductsDiff } from '../../operator/products/import-products.ts'
import {
  isMapped,
  mapTable,
  readUploadedTable,
  repairTable,
  suggestColumns,
  type UploadedTable,
} from '../../operator/products/map-columns.ts'
import { withProductTable } from '../../operator/products/product-table.ts'
import { describeUnservedAfter } from '../../operator/products/unserved-products.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { chosenIn } from '../form-text.ts'
import { attribute, Html, html } from '../html.ts'
import { pack, unpack } from '../packed-text.ts'
import { columnChoices } from '../parts/column-choices.ts'
import { differenceOf } from '../parts/import-difference.ts'
import { csrfField, heading } from '../parts/parts.ts'
import { problemGrid } from '../parts/problem-grid.ts'
import { type Answer, type ConsoleRoute, largeForm, page, redirect, type TenantCall } from '../route.ts'

/** The import of a file: its columns named, its problems repaired, compared, then confirmed. */
export const productImportRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/products/import', importProductFile, async (call) => importPage(call)),
  largeForm(actRoute('POST', '/products/import', importProductFile, answerImport)),
]

/** A file on its way: the browser carries it from step to step, so that nothing is stored before it is confirmed. */
interface Upload {
  readonly name: string
  readonly text: string
  readonly replace: boolean
  /** Where it was just sent: how it was read, if that is a conclusion. */
  readonly encoding?: ImportFile['encoding']
  /** Of a workbook: its first sheet, whose rows have other lines than the text that was made of it. */
  readonly sheet?: UploadedTable | undefined
}

async function answerImport(call: TenantCall): Promise<Answer> {
  try {
    return await inImportTurn(call.tenantId, sizeOf(call), () => nextStep(call))
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return importPage(call, { status: statusOf(error), body: fileError(error) })
  }
}

/** How large the file of a step is; a packed one may be of any size. */
function sizeOf({ form, file }: TenantCall): { readonly name: string; readonly size: number } {
  if (file) return { name: file.name, size: file.bytes.length }
  return { name: '', size: form.has('packed') ? Number.POSITIVE_INFINITY : (form.get('text') ?? '').length }
}

async function nextStep(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, form, base } = call
  const upload = await uploadOf(call)
  const { name, text, encoding, sheet } = upload
  const ofSheet = sheet && (await askedMapping(call, upload, sheet))
  if (ofSheet) return ofSheet
  // Its table is decoded once for all that follows.
  const file = await withProductTable({ name, text, ...(encoding && { encoding }) })
  const table = await readUploadedTable(file)
  const ofTable = table && !sheet && (await askedMapping(call, upload, table))
  if (ofTable) return ofTable
  const problems = await productFileProblems(operator, { tenantId, file, merge: !upload.replace })
  if (problems.length > 0) return importPage(call, { ...upload, status: 400, body: await repairs(call, upload, problems, table) })
  const isConfirmed = form.get('step') === 'confirm'
  const members = { file: new ChosenFile(file), replace: upload.replace, dry_run: !isConfirmed }
  const diff = await doAct(call, importProductFile, members)
  if (isConfirmed) return redirect(`${base}/products`, 'imported')
  const hidden = await describeUnservedAfter(operator, { tenantId, file, merge: !upload.replace })
  return importPage(call, { ...upload, body: await confirmation(call, upload, diff, hidden) })
}

/** The page that asks what the columns of a file are, where its headings do not say it. */
async function askedMapping(call: TenantCall, upload: Upload, table: UploadedTable): Promise<Answer | undefined> {
  if (call.form.get('step') !== 'file' || table.rows.length === 0) return undefined
  const whole = upload.replace || !(await namesOwnProduct(call, table))
  return isMapped(table, { whole }) ? undefined : mappingPage(call, upload, table, whole)
}

/** Characters of one text of a problem. */
const MOST_QUOTED = 1_000

/** Rows whose products are looked up: a table that changes products names one among them. */
const LOOKED_UP = 200

/** Whether a table changes products that exist; one that names none, the first of a publisher above all, has to have every required column. */
async function namesOwnProduct({ operator, tenantId }: TenantCall, { headings, rows }: UploadedTable): Promise<boolean> {
  const column = headings.indexOf('product_id')
  // Without the column it is asked for, with what the others mean.
  if (column < 0) return true
  const ids = rows.slice(0, LOOKED_UP).map(({ cells }) => cells[column]?.trim() ?? '')
  return (await nameProducts(operator, tenantId, ids)).size > 0
}

/** The uploaded file, or the one of the step before with what that step says about it. */
async function uploadOf({ form, file }: TenantCall): Promise<Upload> {
  const replace = chosenIn(form, 'mode', ['merge', 'replace']) === 'replace'
  if (file) {
    const read = await importFileOf(file.name, file.bytes)
    if (read.text !== '') return { name: file.name, text: read.text, encoding: read.encoding, replace }
    const sheet = await readUploadedTable(read)
    const columns = sheet?.headings ?? []
    const text = sheet ? await mapTable(sheet, { columns, fixed: {} }) : ''
    return { name: file.name.replace(/\.xlsx$/i, '.csv'), text, replace, sheet }
  }
  const packed = form.get('packed')
  const text = packed === null ? (form.get('text') ?? '') : await unpack(packed)
  const given = { name: form.get('name') || 'products.csv', text, replace }
  const table = await readUploadedTable(given)
  if (!table) return given
  if (form.get('step') === 'map') return { ...given, text: await mapTable(table, mappingOf(form, table)) }
  if (form.get('step') === 'repair') return { ...given, text: await repairTable(table, repairsOf(form)) }
  return given
}

/** Throws INVALID_REQUEST when two columns of the file are meant to be the same one. */
function mappingOf(form: URLSearchParams, { headings }: UploadedTable) {
  const columns = headings.map((_heading, index) => form.get(`column-${index}`) ?? '')
  const twice = columns.find((column, index) => column !== '' && columns.indexOf(column) !== index)
  if (twice !== undefined)
    throw new AdcpError('INVALID_REQUEST', `two columns of the file are both "${twice}"; leave one of them out`, { field: twice })
  const missing = missingColumns(columns)
  return { columns, fixed: Object.fromEntries(missing.map((name) => [name, form.get(`fixed-${name}`)?.trim() ?? ''])) }
}

/** Fields named `cell:LINE:COLUMN`. */
function repairsOf(form: URLSearchParams) {
  return [...form].flatMap(([name, value]) => {
    const [, line, column] = /^cell:(\d{1,9}):(.{1,80})$/.exec(name) ?? []
    return line === undefined || column === undefined ? [] : [{ line: Number(line), column, value }]
  })
}

function importPage(
  call: TenantCall,
  {
    body,
    encoding,
    status = 200,
  }: { readonly body?: Html; readonly encoding?: Upload['encoding']; readonly status?: number } = {},
): Answer {
  const notice =
    encoding &&
    html`<p class="notice warn" role="status">The file is no UTF-8 and was read as ${encoding}. Look at letters such as ä and é, and at €.</p>`
  const upload = html`<section class="panel narrow"><h2>${body ? 'Another file' : 'File'}</h2><form method="post" action="${call.base}/products/import" enctype="multipart/form-data">${csrfField(call)}<input type="hidden" name="step" value="file">
<div class="field"><label for="file">Spreadsheet (.xlsx), CSV, or JSON of the import format</label><input id="file" name="file" type="file" accept=".xlsx,.csv,.tsv,.txt,.json,text/csv,application/json" required></div>
<fieldset><legend>Products that the file does not list</legend>
<label class="option"><input type="radio" name="mode" value="merge"${attribute('checked', true)}> stay as they are</label>
<label class="option"><input type="radio" name="mode" value="replace"> leave the sale: the file is all there is</label></fieldset>
<button class="primary">Check the file</button><p class="hint">Nothing changes yet: you say which column is what, and see the difference first. For products that exist a table of product ids and prices alone will do, or of other columns that change. The <a href="${call.base}/products/export.csv">CSV of your products</a> has the right columns.</p></form></section>`
  return page('Import products', html`${heading('Import products')}${notice}${body}${upload}`, { status })
}

async function mappingPage(call: TenantCall, upload: Upload, table: UploadedTable, whole: boolean): Promise<Answer> {
  const body = html`<section class="panel"><h2>What the columns of ${upload.name} are</h2>${await stepForm(call, upload, 'map', columnChoices(table, suggestColumns(table.headings), { whole }), 'Check the file')}</section>`
  return importPage(call, { ...upload, body })
}

/** A form that carries the file on. */
async function stepForm(
  call: TenantCall,
  { name, text, replace }: Upload,
  step: string,
  fields: Html,
  button: string,
): Promise<Html> {
  return html`<form method="post" enctype="multipart/form-data" action="${call.base}/products/import">${csrfField(call)}<input type="hidden" name="step" value="${step}"><input type="hidden" name="name" value="${name}"><input type="hidden" name="mode" value="${replace ? 'replace' : 'merge'}"><input type="hidden" name="packed" value="${new Html(await pack(text))}">${fields}<button class="primary">${button}</button></form>`
}

async function repairs(
  call: TenantCall,
  upload: Upload,
  problems: readonly FileProblem[],
  table: UploadedTable | undefined,
): Promise<Html> {
  const title = html`<h2>${problems.length} to repair in ${upload.name}</h2>`
  if (!table || table.rows.length === 0) return html`<section class="panel">${title}${problemList(problems)}</section>`
  const { grid, elsewhere } = problemGrid(table, problems)
  return html`<section class="panel">${title}${elsewhere.length > 0 && problemList(elsewhere)}${grid ? await stepForm(call, upload, 'repair', grid, 'Check again') : undefined}</section>`
}

function problemList(problems: readonly FileProblem[]): Html {
  const rows = problems.slice(0, 200).map(({ line, column, pointer, productId, message }) => {
    const place = [line !== undefined && `line ${line}`, column !== undefined && `column ${column}`, productId, pointer]
    const shown = place.flatMap((part) => (part === false || part === undefined ? [] : shortened(part)))
    return html`<li><code>${shown.join(', ')}</code> ${shortened(message)}</li>`
  })
  return html`<div class="notice bad" role="alert"><ul>${rows}</ul></div>`
}

/** A text that may quote what somebody sent, for a list. */
function shortened(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text
}

function fileError(error: AdcpError): Html {
  const rows = (error.issues ?? []).map(
    ({ pointer, message }) => html`<li><code>${shortened(pointer)}</code> ${shortened(message)}</li>`,
  )
  return html`<div class="notice bad" role="alert"><p>${shortened(error.message)}</p>${rows.length > 0 && html`<ul>${rows}</ul>`}</div>`
}

async function confirmation(call: TenantCall, upload: Upload, diff: ProductsDiff, hidden: string | undefined): Promise<Html> {
  const isChange = diff.added.length + diff.removed.length + diff.changed.length > 0
  return html`<section class="panel"><h2>What ${upload.name} changes</h2>${differenceOf(diff)}${hidden !== undefined && html`<p class="notice warn">After it, ${hidden}.</p>`}
${isChange ? await stepForm(call, upload, 'confirm', html``, 'Import it') : html`<p>Nothing would change.</p>`}</section>`
}
