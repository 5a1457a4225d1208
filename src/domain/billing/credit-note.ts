import { type InvoiceDocument, type InvoiceFacts, type InvoiceLine, invoiceDocument, type LineFacts } from './invoice-document.ts'

/** What is said of a credit note beside what its invoice says. */
export type CreditFacts = Required<Pick<InvoiceFacts, 'number' | 'reason' | 'issuedOn'>>

/** A credit note of an invoice with its parties and its tax: of `lines`, whose amounts are what is given back, else of everything that the invoice bills. */
export function creditNote(
  invoice: InvoiceDocument,
  { number, reason, issuedOn }: CreditFacts,
  lines: readonly LineFacts[] = invoice.lines.map(lineFacts),
): InvoiceDocument {
  const { period, currency, language, seller, buyer, buyerReference, tax } = invoice
  const said = { kind: 'credit_note' as const, number, refersTo: invoice.number, reason, issuedOn }
  return invoiceDocument({ ...said, period, currency, language, seller, buyer, buyerReference, tax }, lines)
}

/** A part of a line given back: an amount alone, in micros. `position`: number of the line of the invoice, from 1. */
export function creditedPart(
  { serviceMonth, orderId, orderName, lineId, productId, name, poNumber, reason }: InvoiceLine,
  position: number,
  grossMicros: number,
): LineFacts {
  return {
    ...{ kind: 'credit', serviceMonth, orderId, lineId, productId, name, unit: 'fee', per: 1, grossMicros },
    creditedLine: position,
    ...(orderName !== undefined && { orderName }),
    ...(poNumber !== undefined && { poNumber }),
    ...(reason !== undefined && { reason }),
  }
}

/** What is left of a line of an invoice after the credits of its parts, micros; of credit notes that do not number the line, each that may be of it counts. */
export function leftOfLine(invoice: InvoiceDocument, position: number, notes: readonly InvoiceDocument[]): number {
  const line = invoice.lines[position - 1]
  if (!line) return 0
  const isOf = (credit: InvoiceLine) =>
    credit.creditedLine === undefined
      ? credit.orderId === line.orderId && credit.lineId === line.lineId && credit.serviceMonth === line.serviceMonth
      : credit.creditedLine === position
  const credits = notes.flatMap(({ lines }) => lines.filter(isOf))
  return credits.reduce((left, credit) => left - credit.netMicros, line.netMicros)
}

/** A line as it was before it was summed up. */
function lineFacts({ discount, commission, exactMicros: _exact, netMicros: _net, ...line }: InvoiceLine): LineFacts {
  return {
    ...line,
    ...(discount && { discountPercent: discount.percent }),
    ...(commission && { commissionPercent: commission.percent }),
  }
}
