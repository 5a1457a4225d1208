import { INVOICE_KINDS } from '../../domain/billing/invoice-document.ts'
import { type Booking, bookedInvoice, bookedPayment, type LedgerAccount } from '../../domain/billing/journal.ts'
import { localDay, nextDay, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type BookedPayment, paymentsBetween } from '../../store/billing/invoice-payments.ts'
import { invoicesBetween } from '../../store/billing/invoices.ts'
import { type ActContext, defineAct } from '../act.ts'
import { csvText } from '../csv-text.ts'
import { atMost, DEFAULT_PAGE, paged, text } from '../fields.ts'
import { RANGE, RANGE_FLAGS, reportDays } from '../reports/report-range.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, named, number, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { namePayers } from './name-billed.ts'
import { readInvoice } from './read-document.ts'

const entryShape = object({
  ledger_account: string,
  debit: number,
  credit: number,
  tax_code: about('of revenue and tax (UNCL5305): S, AE, E, O …', orNull(string)),
  tax_percent: orNull(number),
})

const documentShape = named(
  'JournalDocument',
  about(
    'A document with its bookings, whose debit and credit are the same; money in units of `currency`.',
    object({
      date: about('day of the publisher', string),
      document: about('number of the invoice or credit note, or id of the payment or refund', string),
      kind: about(
        'refund: what was paid back to a customer; _taken_back: it was recorded wrongly, and is booked back',
        word(...INVOICE_KINDS, 'payment', 'payment_taken_back', 'refund', 'refund_taken_back'),
      ),
      refers_to: about('the invoice that a credit note credits, or that a payment pays', orNull(string)),
      month: about('the month that is billed', orNull(string)),
      due_on: orNull(string),
      account: string,
      name: about('who pays, as the invoice says it; of a payment: the name of the account', orNull(string)),
      reference: about('of a payment', orNull(string)),
      currency: about('ISO 4217', string),
      entries: listOf(entryShape),
    }),
  ),
)
export type JournalDocument = Of<typeof documentShape>

const numberOf = (what: LedgerAccount, holds: string) =>
  atMost(50, text(`your account for ${holds}, as it is written in the entries; default: ${what}`))

/** Invoices, credit notes and payments between two dates as bookings. Throws INVALID_REQUEST for reversed days and more than 366 of them. */
export const readJournal = defineAct({
  name: 'billing.journal',
  route: 'GET /billing/journal',
  id: 'readJournal',
  roles: READERS,
  summary: 'Invoices, credit notes, payments and refunds between two dates as bookings of accounts receivable, by date.',
  fields: {
    ...RANGE,
    receivables: numberOf('receivables', 'what is to be paid'),
    revenue: numberOf('revenue', 'what is earned, without tax'),
    tax: numberOf('tax', 'tax that is owed'),
    bank: numberOf('bank', 'what was paid'),
    ...paged('documents'),
  },
  answer: pageOf(documentShape),
  command: {
    flags: RANGE_FLAGS,
    allPages: true,
    columns: [
      ['DATE', ({ date }) => date],
      ['DOCUMENT', ({ document }) => document],
      ['KIND', ({ kind }) => kind.replaceAll('_', ' ')],
      ['NAME', ({ name }) => name ?? ''],
      ['ACCOUNT', ({ account }) => account],
      ['ENTRIES', ({ entries }) => entries.map(entryText).join('; ')],
      ['CURRENCY', ({ currency }) => currency],
    ],
    csv: ({ items }) => journalCsv(items),
  },
  async run(context, { first, last, cursor, limit = DEFAULT_PAGE, ...names }) {
    const { tenantId } = context
    const days = await reportDays(context, { first, last })
    const bound = ['journal', tenantId, days.first, days.last]
    const after = decodeCursor(bound, cursor, 'cursor') ?? ''
    const following = (await documentsOf(context, days)).filter((each) => keyOf(each) > after)
    const shown = following.slice(0, limit)
    const items: JournalDocument[] = []
    const payers = await namePayers(
      context,
      tenantId,
      shown.flatMap(({ payment }) => payment?.accountId ?? []),
    )
    for (const each of shown) items.push(await presented(context, each, { names, payers }))
    const end = shown.at(-1)
    return list(items, end && following.length > limit ? encodeCursor(bound, keyOf(end)) : null)
  },
})

/** An invoice, a payment or a refund, before it is read. */
interface Listed {
  readonly day: string
  readonly id: string
  readonly payment?: BookedPayment
}

function keyOf({ day, id, payment }: Listed): string {
  return [day, id, payment?.isTakenBack ? 'back' : ''].join(' ')
}

/** The documents of some days, by day and number. */
async function documentsOf(
  { store, tenantId }: ActContext,
  { first, last, timeZone }: { readonly first: string; readonly last: string; readonly timeZone: string },
): Promise<readonly Listed[]> {
  const [from, before] = [first, nextDay(last)].map((day) => startOfLocalDay(day, timeZone).toISOString())
  const moments = { from: from ?? '', before: before ?? '' }
  const invoices = await invoicesBetween(store.read, tenantId, moments)
  const payments = await paymentsBetween(store.read, tenantId, { first, last, ...moments })
  return [
    ...invoices.map(({ invoiceId: id, createdAt }): Listed => ({ day: localDay(new Date(createdAt), timeZone), id })),
    ...payments.map((payment): Listed => {
      const { paymentId: id, takenBackAt, isTakenBack, paidOn } = payment
      return { day: isTakenBack && takenBackAt ? localDay(new Date(takenBackAt), timeZone) : paidOn, id, payment }
    }),
  ].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

type Names = Partial<Record<LedgerAccount, string | undefined>>

async function presented(
  { store, tenantId }: ActContext,
  { day: date, id: document, payment }: Listed,
  { names, payers }: { readonly names: Names; readonly payers: ReadonlyMap<string, string> },
): Promise<JournalDocument> {
  if (payment) {
    const { kind, invoiceId: refers_to, accountId: account, currency, micros, reference, isTakenBack } = payment
    const bookings = bookedPayment(isTakenBack === (kind === 'payment') ? -micros : micros)
    return {
      ...{ date, document, kind: isTakenBack ? (`${kind}_taken_back` as const) : kind, refers_to, month: null, due_on: null },
      ...{
        account,
        name: payers.get(account) ?? null,
        reference,
        currency,
        entries: bookings.map((each) => entryOf(each, names)),
      },
    }
  }
  const { invoice, document: said } = await readInvoice(store.read, tenantId, document)
  const { accountId: account, month, currency, dueOn: due_on = null, refersTo: refers_to = null } = invoice
  return {
    ...{ date, document, kind: said.kind, refers_to, month, due_on, account, name: said.buyer.name, reference: null, currency },
    entries: bookedInvoice(said).map((each) => entryOf(each, names)),
  }
}

function entryOf({ on, debitMicros, creditMicros, taxCode, taxPercent }: Booking, names: Names): Of<typeof entryShape> {
  return {
    ...{ ledger_account: names[on] || on, debit: microsToAmount(debitMicros), credit: microsToAmount(creditMicros) },
    ...{ tax_code: taxCode ?? null, tax_percent: taxPercent ?? null },
  }
}

function entryText({ ledger_account: account, debit, credit }: Of<typeof entryShape>): string {
  return debit > 0 ? `debit ${account} ${debit}` : `credit ${account} ${credit}`
}

const COLUMNS = [
  ...['date', 'document', 'kind', 'refers_to', 'month', 'due_on', 'account', 'name', 'reference'],
  ...['ledger_account', 'debit', 'credit', 'currency', 'tax_code', 'tax_percent'],
]

/** Documents as CSV, a row a booking; `debit` and `credit` of a document add up to the same. */
export function journalCsv(documents: readonly JournalDocument[]): string {
  const rows = documents.flatMap(({ entries, currency, ...each }) =>
    entries.map(({ ledger_account, debit, credit, tax_code, tax_percent }) => [
      ...[each.date, each.document, each.kind, each.refers_to ?? '', each.month ?? '', each.due_on ?? '', each.account],
      ...[each.name ?? '', each.reference ?? ''],
      ...[ledger_account, debit, credit, currency, tax_code ?? '', tax_percent ?? ''],
    ]),
  )
  return csvText(COLUMNS, rows)
}
