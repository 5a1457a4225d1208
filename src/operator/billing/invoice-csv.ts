import { taxParts } from '../../domain/billing/invoice-rounding.ts'
import { microsToAmount } from '../../domain/money.ts'
import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import { csvSteps } from '../csv-text.ts'
import type { InvoicePage } from './invoice-shapes.ts'

/**
 * Headings and rows of an invoice for spreadsheets: a row a line, names beside ids, exact amounts to six decimals. The last column adds up to the total; `payable` and `tax` add up to the rounded sum and
 * its tax, `payable_with_tax` to what has to be paid.
 */
export function* invoiceTable({
  invoice_id,
  issued_on,
  account,
  payer,
  currency,
  tax_code,
  tax_percent,
  lines,
}: InvoicePage): Steps<readonly [headings: readonly string[], rows: readonly (readonly (string | number)[])[]]> {
  const headings = [
    ...['invoice_id', 'kind', 'service_month', 'issued_on', 'account', 'payer', 'media_buy_id', 'order_name', 'package_id'],
    ...['product_id', 'product_name', 'po_number', 'reason', 'of_invoice'],
    ...['unit', 'quantity', 'rate', 'rate_units', 'rate_basis'],
    ...['gross', 'discount', 'commission', 'currency', 'payable_without_tax'],
    ...['tax_code', 'tax_percent', 'tax', 'payable_with_tax', 'amount'],
  ]
  const net = lines.map(({ payable }) => Math.round(payable * 1_000_000))
  const taxes = taxParts(net, tax_percent ?? 0, currency)
  const rows = yield* mapSteps(lines, (line, index) => [
    ...[invoice_id, line.kind, line.service_month, issued_on, account, payer.name, line.media_buy_id, line.order_name ?? ''],
    ...[line.package_id, line.product_id, line.name, line.po_number ?? '', line.reason ?? '', line.of_invoice ?? ''],
    ...[line.unit, line.quantity ?? ''],
    ...[line.rate ?? '', line.rate_units, line.rate_basis ?? '', line.gross, line.discount, line.commission, currency],
    ...[line.payable, tax_code, tax_percent ?? '', microsToAmount(taxes[index] ?? 0)],
    ...[microsToAmount((net[index] ?? 0) + (taxes[index] ?? 0)), line.amount],
  ])
  return [headings, rows]
}

/** The lines of an invoice as CSV. */
export function* invoiceCsv(invoice: InvoicePage): Steps<string> {
  return yield* csvSteps(...(yield* invoiceTable(invoice)))
}
