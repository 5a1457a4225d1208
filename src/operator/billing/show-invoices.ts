import type { BilledService } from '../../domain/billing/billing-lines.ts'
import { microsToAmount, minorUnitMicros } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { closedMonths, findInvoice, type Invoice, listInvoices as listStoredInvoices } from '../../store/billing/invoices.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { csvText } from '../csv-text.ts'
import type { OperatorContext } from '../operator-context.ts'

/** An invoice of the list. Money in units of `currency`. A negative total is a credit to the account. */
export type ShownInvoice = ReturnType<typeof presentInvoice>

/** An invoice with its lines: the data of a printable page. */
export type InvoicePage = Awaited<ReturnType<typeof showInvoice>>

/** Closed months and the invoices of a publisher, the newest month first. */
export async function listInvoices(
  { store }: OperatorContext,
  query: { readonly tenantId: string; readonly month?: string | undefined; readonly account?: string | undefined },
) {
  const { tenantId, month, account: accountId } = query
  const [months, invoices] = await Promise.all([
    closedMonths(store.read, tenantId),
    listStoredInvoices(store.read, tenantId, { month, accountId }),
  ])
  return {
    months: months.map(({ month: closed, closed_at, closed_by }) => ({ month: closed, closed_at, closed_by })).reverse(),
    invoices: invoices.map(presentInvoice),
  }
}

/** One invoice with its lines; they add up to its total to the micro. Throws REFERENCE_NOT_FOUND. */
export async function showInvoice({ store }: OperatorContext, tenantId: string, invoiceId: string) {
  const found = await findInvoice(store.read, tenantId, invoiceId)
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no invoice ${invoiceId}`, { field: 'invoice_id' })
  const tenant = await findTenant(store.read, tenantId)
  return {
    ...presentInvoice(found.invoice),
    publisher: { name: tenant?.name ?? tenantId, domain: tenant?.domain ?? '' },
    account_details: found.invoice.account,
    lines: found.lines.map((line) => presentLine(line, found.invoice.month)),
  }
}

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

export function presentInvoice({ invoiceId, month, accountId, currency, totalMicros, createdAt }: Invoice) {
  const unit = minorUnitMicros(currency)
  const payableMicros = Math.sign(totalMicros) * Math.round(Math.abs(totalMicros) / unit) * unit
  return {
    invoice_id: invoiceId,
    month,
    account: accountId,
    currency,
    /** The exact sum of the lines. */
    total: microsToAmount(totalMicros),
    /** Rounded to the smallest payable amount of the currency. */
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
