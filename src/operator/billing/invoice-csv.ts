import { csvText } from '../csv-text.ts'
import type { InvoicePage } from './invoice-shapes.ts'

/** Headings and rows of an invoice for spreadsheets: a row a line, names beside ids, exact amounts to six decimals; the last column adds up to the total. */
export function invoiceTable({
  invoice_id,
  issued_on,
  account,
  payer,
  currency,
  lines,
}: InvoicePage): readonly [headings: readonly string[], rows: readonly (readonly (string | number)[])[]] {
  const headings = [
    ...['invoice_id', 'kind', 'service_month', 'issued_on', 'account', 'payer', 'media_buy_id', 'order_name', 'package_id'],
    ...['product_id', 'product_name', 'po_number', 'reason', 'unit', 'quantity', 'rate', 'rate_units'],
    ...['gross', 'discount', 'commission', 'currency', 'payable', 'amount'],
  ]
  const rows = lines.map((line) => [
    ...[invoice_id, line.kind, line.service_month, issued_on, account, payer.name, line.media_buy_id, line.order_name ?? ''],
    ...[line.package_id, line.product_id, line.name, line.po_number ?? '', line.reason ?? '', line.unit, line.quantity ?? ''],
    ...[line.rate ?? '', line.rate_units, line.gross, line.discount, line.commission, currency],
    ...[line.payable, line.amount],
  ])
  return [headings, rows]
}

/** The lines of an invoice as CSV. */
export function invoiceCsv(invoice: InvoicePage): string {
  return csvText(...invoiceTable(invoice))
}
