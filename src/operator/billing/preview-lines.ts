import { isAverage } from '../../domain/billing/invoice-document.ts'
import { INVOICE_WORDS } from '../../domain/billing/invoice-words.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { defineAct } from '../act.ts'
import { exactText } from '../amount.ts'
import { DEFAULT_PAGE, paged } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, list, named, type Of, object, pageOf, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { lineMembers, presentLine } from './invoice-shapes.ts'
import { booksOfMonth, digestOfBooks, invoicesOf, MONTH, type MonthBooks } from './prepare-month.ts'

/** Lines of a page at most: an invoice has more of them than people page through in other lists. */
const MAX_LINES = 500

const previewLine = named(
  'MonthPreviewLine',
  about(
    'A line of an invoice that closing a month would write now; money in units of `currency`.',
    object({ invoice_id: string, account: string, currency: about('ISO 4217', string), ...lineMembers }),
  ),
)
export type MonthPreviewLine = Of<typeof previewLine>

/** The lines of a preview, page by page; nothing is stored. Throws what closing throws, and INVALID_REQUEST for a cursor of what has changed meanwhile. */
export const previewLines = defineAct({
  name: 'billing.preview-lines',
  route: 'GET /billing/months/{month}/preview/lines',
  id: 'previewLines',
  roles: READERS,
  summary: 'The lines of the invoices that closing a month would write now, in their order; nothing is stored.',
  fields: { month: MONTH, invoice: idText('lines of one of its invoices, by its number'), ...paged('lines', MAX_LINES) },
  answer: pageOf(previewLine),
  command: {
    args: ['month'],
    columns: [
      ['INVOICE', ({ invoice_id: id }) => id],
      ['KIND', ({ kind }) => kind],
      ['MONTH', ({ service_month: month }) => month],
      ['ORDER', ({ order_name: name, order_id: id }) => name ?? id],
      ['LINE', ({ line_id: id }) => id],
      ['QUANTITY', ({ quantity, unit }) => (quantity === null ? '' : `${quantity} ${unit}`)],
      ['RATE', (line) => rateText(line)],
      ['AMOUNT', ({ amount, currency }) => `${exactText(amount, currency)} ${currency}`],
      ['REASON', ({ reason }) => reason ?? ''],
    ],
  },
  async run(context, { month, invoice, cursor, limit = DEFAULT_PAGE }) {
    const { tenantId } = context
    const all = await booksOfMonth(context, tenantId, month)
    // Pages are of one state of the books: what has changed in between begins again.
    const bound = ['preview lines', tenantId, month, invoice, await digestOfBooks(context, tenantId, all)]
    const start = Number(decodeCursor(bound, cursor, 'cursor') ?? 0)
    const asked = all.books.filter(({ number }) => invoice === undefined || number === invoice)
    const { books, skipped, isMore } = booksOfPage(asked, start, limit)
    // Only the invoices of the page are made: there may be thousands in the month.
    const prepared = await invoicesOf(context, tenantId, { ...all, books })
    const shown = prepared
      .flatMap(({ invoice, document }) => document.lines.map((line) => ({ invoice, line, kind: document.kind })))
      .slice(skipped, skipped + limit)
    const lines = shown.map(({ invoice: { invoiceId: invoice_id, accountId: account, currency }, line, kind }) => {
      return { invoice_id, account, currency, ...presentLine(line, kind === 'credit_note' ? -1 : 1) }
    })
    return list(lines, isMore ? encodeCursor(bound, String(start + limit)) : null)
  },
})

type Books = MonthBooks['books']

/** The books that have lines `start` to `start + limit`, how many lines of the first of them come before, and whether others follow. */
function booksOfPage(all: Books, start: number, limit: number): { books: Books; skipped: number; isMore: boolean } {
  const books: Books[number][] = []
  let [skipped, seen] = [0, 0]
  for (const book of all) {
    const after = seen + book.lines.length + book.charges.length
    if (after > start && seen < start + limit) {
      if (books.length === 0) skipped = start - seen
      books.push(book)
    }
    seen = after
  }
  return { books, skipped, isMore: seen > start + limit }
}

function rateText({ rate, rate_units: units, unit, rate_basis: basis }: MonthPreviewLine): string {
  if (rate === null) return ''
  const price =
    units === 1
      ? String(rate)
      : `${rate} / ${units}${unit === 'days' || unit === 'hours' || unit === 'percent' ? ` ${unit}` : ''}`
  return [price, averageText(basis)].filter((text) => text !== undefined).join(', ')
}

/** The words for a rate that is an average; undefined for one that is not. */
export function averageText(basis: MonthPreviewLine['rate_basis']): string | undefined {
  return isAverage(basis) ? INVOICE_WORDS.en.averages[basis] : undefined
}
