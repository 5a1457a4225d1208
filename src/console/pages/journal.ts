import type { LedgerAccount } from '../../domain/billing/journal.ts'
import { allPages } from '../../operator/all-pages.ts'
import { type JournalDocument, journalCsv, readJournal } from '../../operator/billing/journal.ts'
import { MAX_LIMIT } from '../../operator/fields.ts'
import { actRoute, doAct } from '../do-act.ts'
import { day, money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { empty, field, heading, limits, pager, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Invoices, credit notes and payments of some days as bookings, as a page and as a file. */
export const journalRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/journal', readJournal, journalPage),
  actRoute('GET', '/billing/journal.csv', readJournal, journalFile),
]

/** The publisher's own accounts, with their labels. */
const ACCOUNTS: readonly (readonly [LedgerAccount, string])[] = [
  ['receivables', 'Account of receivables'],
  ['revenue', 'Account of revenue'],
  ['tax', 'Account of tax'],
  ['bank', 'Account of the bank'],
]

const INPUTS = ['first', 'last', ...ACCOUNTS.map(([name]) => name)]

/** What the address asks for: an empty input is not sent. */
function askedOf(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(INPUTS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

async function journalPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const asked = askedOf(query)
  const { items, next_cursor: next } = await doAct(call, readJournal, { ...asked, cursor: query.get('cursor') || undefined })
  const value = (name: string) => asked[name] ?? ''
  const accounts = ACCOUNTS.map(
    ([name, label]) =>
      html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value(name)}"${limits(readJournal.fields[name])}></div>`,
  )
  const form = html`<form class="filters" method="get" action="${base}/billing/journal">${field('first', 'From', { type: 'date', value: value('first') })}${field('last', 'To', { type: 'date', value: value('last') })}${accounts}<button>Show</button></form>`
  const file = html`<a class="button" href="${base}/billing/journal.csv?${new URLSearchParams(asked).toString()}">CSV</a>`
  const lead =
    'Invoices, credit notes, payments and refunds as bookings for your own books: of 30 days up to today, unless you choose others. The file has all of them, a row a booking.'
  const shown = items.length === 0 ? empty('Nothing was booked in these days') : bookingTable(base, items)
  return page(
    'Journal of receivables',
    html`${heading('Journal of receivables', file, lead)}${form}${shown}${pager(`${base}/billing/journal`, query, next)}`,
  )
}

/** A row a booking. */
function bookingTable(base: string, documents: readonly JournalDocument[]): Html {
  const rows = documents.flatMap(({ entries, currency, ...each }) =>
    entries.map(({ ledger_account, debit, credit, tax_code }) => [
      day(each.date),
      documentCell(base, each),
      each.name ?? each.account,
      html`${ledger_account}${tax_code !== null && html`<small>${tax_code}</small>`}`,
      debit === 0 ? '' : money(debit, currency),
      credit === 0 ? '' : money(credit, currency),
    ]),
  )
  const columns = [
    'Day',
    'Document',
    'Who pays',
    'Account',
    { title: 'Debit', numeric: true },
    { title: 'Credit', numeric: true },
  ]
  return table('Bookings', columns, rows)
}

type Booked = Pick<JournalDocument, 'document' | 'kind' | 'refers_to' | 'reference'>

/** A document, and the invoice that it is of. */
function documentCell(base: string, { document, kind, refers_to: of, reference }: Booked): Html {
  const link = (invoice: string) => html`<a href="${base}/billing/${encodeURIComponent(invoice)}">${invoice}</a>`
  const isInvoice = kind === 'invoice' || kind === 'credit_note'
  const more = [words(kind), ...(reference === null ? [] : [reference])].join(', ')
  return html`${isInvoice ? link(document) : document}<small>${more}${of !== null && html` ${link(of)}`}</small>`
}

async function journalFile(call: TenantCall): Promise<Answer> {
  const asked = askedOf(call.query)
  const documents = await allPages((cursor) => doAct(call, readJournal, { ...asked, cursor, limit: MAX_LIMIT }))
  const days = [asked.first, asked.last].flatMap((each) => each ?? [])
  return {
    kind: 'file',
    type: 'text/csv; charset=utf-8',
    name: `${['journal', ...days].join('-')}.csv`,
    body: journalCsv(documents),
  }
}
