import { invoiceView } from '../../domain/billing/invoice-view.ts'
import { INVOICE_WORDS } from '../../domain/billing/invoice-words.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { writtenPdf, writtenSheet } from '../../platform/decode/written-file.ts'
import type { Sheet } from '../../platform/encode/file-parts.ts'
import type { TablePages } from '../../platform/encode/pdf-pages.ts'
import { defineAct } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { madeFile } from '../made-file.ts'
import { READERS } from '../roles.ts'
import { about, object, string } from '../shape.ts'
import { invoiceCsv, invoiceTable } from './invoice-csv.ts'
import { presentPage } from './invoice-shapes.ts'
import { invoiceUbl } from './invoice-ubl.ts'
import { type ReadInvoice, readInvoice } from './read-document.ts'
import { INVOICE } from './show-invoices.ts'

/** Forms of an invoice that are files, with their media types and the ends of their names. */
const FORMS = {
  pdf: { type: 'application/pdf', ending: 'pdf' },
  xlsx: { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ending: 'xlsx' },
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  ubl: { type: 'application/xml', ending: 'xml' },
} as const
type Form = keyof typeof FORMS

/** Names of the forms. */
export const INVOICE_FORMS = ['pdf', 'xlsx', 'csv', 'ubl'] as const satisfies readonly Form[]

/** Throws REFERENCE_NOT_FOUND, INVALID_STATE where UBL asks for what the invoice does not say, and SERVICE_UNAVAILABLE when too many files are made at once. */
export const invoiceFile = defineAct({
  name: 'billing.file',
  route: 'GET /billing/invoices/{invoice}/file',
  id: 'invoiceFile',
  roles: READERS,
  summary: 'One invoice as a file: PDF, XLSX or CSV of its lines, or UBL by EN 16931.',
  fields: { invoice: INVOICE, format: required(oneOf(INVOICE_FORMS, 'pdf, xlsx, csv, or ubl: XML by EN 16931')) },
  answer: object({ name: string, media_type: string, content_base64: about('the file (RFC 4648, section 4)', string) }),
  command: {
    file: { forms: ['file'], text: ({ content_base64: content }) => Buffer.from(content, 'base64') },
  },
  async run(context, { invoice: id, format }) {
    const { type: media_type, ending } = FORMS[format]
    const content = await contentOf(await readInvoice(context.store.read, context.tenantId, id), format)
    await yieldToEventLoop()
    return { name: `invoice-${id}.${ending}`, media_type, content_base64: Buffer.from(content).toString('base64') }
  },
})

async function contentOf(read: ReadInvoice, format: Form): Promise<Uint8Array | string> {
  switch (format) {
    case 'pdf':
      return madeFile(writtenPdf(await inTurns(invoicePages(read))))
    case 'csv':
      return inTurns(invoiceCsv(await inTurns(presentPage(read))))
    case 'xlsx':
      return madeFile(writtenSheet(await inTurns(sheetOf(read))))
    case 'ubl':
      return inTurns(invoiceUbl(read.document))
  }
}

function* sheetOf(read: ReadInvoice): Steps<Sheet> {
  const [headings, rows] = yield* invoiceTable(yield* presentPage(read))
  return { sheet: read.document.number, headings, rows }
}

function* invoicePages({ invoice, document }: ReadInvoice): Steps<TablePages> {
  const { title, facts, from, to, columns, firstNumber, rows, totals, bank, notes } = yield* invoiceView(document)
  const words = INVOICE_WORDS[document.language]
  const payTo = bank.length === 0 ? [] : [`${words.bank}: ${bank.map(([name, value]) => `${name} ${value}`).join(', ')}`]
  return {
    ...{ title, facts, columns, firstNumber, rows, totals },
    blocks: [from, to],
    below: [...payTo, ...notes],
    pageText: words.page('{page}', '{of}'),
    language: document.language,
    madeAt: invoice.createdAt,
  }
}
