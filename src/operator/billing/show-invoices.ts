import type { BilledService } from '../../domain/billing/billing-lines.ts'
import { microsToAmount, minorUnitMicros } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { closedMonths, findInvoice, type Invoice, listInvoices as listStoredInvoices } from '../../store/billing/invoices.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { csvText } from '../csv-text.ts'
import { month, required, text } from '../fields.ts'
import { READERS } from '../roles.ts'
import {
  about,
  integer,
  list,
  listOf,
  moment,
  named,
  number,
  type Of,
  object,
  openObject,
  pageMembers,
  string,
  word,
} from '../shape.ts'
import { table } from '../text-table.ts'

/** Money in units of `currency`. A negative total is a credit to the account. */
export const invoiceMembers = {
  invoice_id: string,
  month: string,
  account: string,
  currency: about('ISO 4217', string),
  total: about('the exact sum of the lines', number),
  payable: about('rounded to the smallest payable amount of the currency', number),
  rounding: number,
  created_at: moment,
}
/** An invoice of a list. */
export const invoiceShape = named('Invoice', object(invoiceMembers))
export type ShownInvoice = Of<typeof invoiceShape>

const invoicePage = object({
  ...invoiceMembers,
  publisher: object({ name: string, domain: string }),
  account_details: about('the account as it was when the month was closed', openObject({})),
  lines: about(
    'they add up to the total to the micro',
    listOf(
      object({
        kind: word('delivery', 'adjustment'),
        service_month: string,
        media_buy_id: about('the id of the order', string),
        package_id: string,
        product_id: string,
        impressions: integer,
        amount: number,
      }),
    ),
  ),
})
/** An invoice with its lines: the data of a printable page. */
export type InvoicePage = Of<typeof invoicePage>

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
  fields: { invoice: required(text('id of the invoice')) },
  answer: invoicePage,
  command: { text: pageLines, csv: invoiceCsv },
  async run({ store, tenantId }, { invoice: id }) {
    const found = await findInvoice(store.read, tenantId, id)
    if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no invoice ${id}`, { field: 'invoice' })
    const tenant = await findTenant(store.read, tenantId)
    return {
      ...presentInvoice(found.invoice),
      publisher: { name: tenant?.name ?? tenantId, domain: tenant?.domain ?? '' },
      account_details: { ...found.invoice.account },
      lines: found.lines.map((line) => presentLine(line, found.invoice.month)),
    }
  },
})

/** The lines of an invoice as CSV; the amounts are exact, to six decimals. */
export function invoiceCsv({ invoice_id, currency, lines }: InvoicePage): string {
  return csvText(
    ['invoice_id', 'kind', 'service_month', 'media_buy_id', 'package_id', 'product_id', 'impressions', 'currency', 'amount'],
    lines.map((line) => [
      invoice_id,
      line.kind,
      line.service_month,
      line.media_buy_id,
      line.package_id,
      line.product_id,
      line.impressions,
      currency,
      line.amount,
    ]),
  )
}

export function presentInvoice({ invoiceId, month, accountId, currency, totalMicros, createdAt }: Invoice): ShownInvoice {
  const unit = minorUnitMicros(currency)
  const payableMicros = Math.sign(totalMicros) * Math.round(Math.abs(totalMicros) / unit) * unit
  return {
    invoice_id: invoiceId,
    month,
    account: accountId,
    currency,
    total: microsToAmount(totalMicros),
    payable: microsToAmount(payableMicros),
    rounding: microsToAmount(payableMicros - totalMicros),
    created_at: createdAt,
  }
}

function presentLine(line: BilledService, month: string) {
  return {
    kind: line.serviceMonth === month ? ('delivery' as const) : ('adjustment' as const),
    service_month: line.serviceMonth,
    media_buy_id: line.mediaBuyId,
    package_id: line.packageId,
    product_id: line.productId,
    impressions: line.impressions,
    amount: microsToAmount(line.amountMicros),
  }
}

/** Invoices as a table of the command line. */
export function invoiceLines(invoices: readonly ShownInvoice[]): readonly string[] {
  const rows = invoices.map(({ invoice_id, month, account, payable, total, currency }) => {
    return [invoice_id, month, account, `${amountText(payable, currency)} ${currency}`, String(total)]
  })
  return table(['INVOICE', 'MONTH', 'ACCOUNT', 'PAYABLE', 'EXACT'], rows)
}

function pageLines(invoice: InvoicePage): readonly string[] {
  const { invoice_id, month, account, payable, currency, publisher, lines } = invoice
  const rows = lines.map((line) => [
    line.kind,
    line.service_month,
    line.media_buy_id,
    line.package_id,
    line.product_id,
    String(line.impressions),
    String(line.amount),
  ])
  return [
    `${publisher.name}: invoice ${invoice_id} for ${month}, account ${account}`,
    `payable ${amountText(payable, currency)} ${currency}`,
    '',
    ...table(['KIND', 'MONTH', 'ORDER', 'PACKAGE', 'PRODUCT', 'IMPRESSIONS', `AMOUNT ${currency}`], rows),
  ]
}
