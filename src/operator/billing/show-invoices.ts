import { closedMonths, listInvoices as listStoredInvoices } from '../../store/billing/invoices.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { month, required, text } from '../fields.ts'
import { READERS } from '../roles.ts'
import { list, listOf, moment, object, pageMembers, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { invoiceCsv } from './invoice-csv.ts'
import { type InvoicePage, invoicePage, invoiceShape, presentInvoice, presentPage, type ShownInvoice } from './invoice-shapes.ts'
import { readInvoice } from './read-document.ts'

/** The field that names an invoice. */
export const INVOICE = required(text('id of the invoice'))

/** Closed months and the invoices of a publisher, the newest month first. */
export const listInvoices = defineAct({
  name: 'billing.invoices',
  route: 'GET /billing/invoices',
  id: 'listInvoices',
  roles: READERS,
  summary: 'Invoices and closed months, the newest month first.',
  fields: { month: month('of one month, YYYY-MM'), account: OF_ACCOUNT },
  answer: object({
    ...pageMembers(invoiceShape),
    months: listOf(object({ month: string, closed_at: moment, closed_by: string })),
  }),
  command: {
    text: ({ items }) => invoiceLines(items),
  },
  async run({ store, tenantId }, { month, account: accountId }) {
    const [months, invoices] = await Promise.all([
      closedMonths(store.read, tenantId),
      listStoredInvoices(store.read, tenantId, { month, accountId }),
    ])
    return {
      ...list(invoices.map(presentInvoice)),
      months: months.map(({ month: closed, closed_at, closed_by }) => ({ month: closed, closed_at, closed_by })).reverse(),
    }
  },
})

/** One invoice with its lines. Throws REFERENCE_NOT_FOUND. */
export const showInvoice = defineAct({
  name: 'billing.show',
  route: 'GET /billing/invoices/{invoice}',
  id: 'showInvoice',
  roles: READERS,
  summary: 'One invoice with its lines.',
  fields: { invoice: INVOICE },
  answer: invoicePage,
  command: { text: pageLines, csv: invoiceCsv },
  run: async (context, { invoice }) => presentPage(await readInvoice(context, invoice)),
})

/** Invoices as a table of the command line. */
export function invoiceLines(invoices: readonly ShownInvoice[]): readonly string[] {
  const rows = invoices.map(({ invoice_id, month, account, payable, total, currency }) => {
    return [invoice_id, month, account, `${amountText(payable, currency)} ${currency}`, String(total)]
  })
  return table(['INVOICE', 'MONTH', 'ACCOUNT', 'PAYABLE', 'EXACT'], rows)
}

/** The invoice as it reads. */
function pageLines({ reads }: InvoicePage): readonly string[] {
  const { title, facts, from, to, columns, rows, totals, bank, notes } = reads
  const pairs = (values: typeof facts) => values.map(({ name, value }) => `${name}: ${value}`)
  return [
    title,
    ...pairs(facts),
    '',
    ...[from, to].flatMap(([label = '', ...lines]) => [`${label}: ${lines.join(', ')}`]),
    '',
    ...table(
      columns.map((column) => column.toUpperCase()),
      rows.map((cells) => cells.map((cell) => cell.replaceAll('\n', '; '))),
    ),
    '',
    ...pairs(totals),
    ...pairs(bank),
    ...notes,
  ]
}
