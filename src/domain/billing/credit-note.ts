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

/**
 * What is left of a line of an invoice after the credits of its parts, micros, and no more than what is left of what the invoice bills of its order, line and month. A credit that the invoice has is of the month in
 * which it was given, whatever it gives back: it is no part of that. Of lines of credit notes that do not number the line, each that may be of it counts: an adjustment is of deliveries.
 */
export function leftOfLine(invoice: InvoiceDocument, position: number, notes: readonly InvoiceDocument[]): number {
  const line = invoice.lines[position - 1]
  if (!line) return 0
  const isOfService = ({ orderId, lineId, serviceMonth }: InvoiceLine) =>
    orderId === line.orderId && lineId === line.lineId && serviceMonth === line.serviceMonth
  const isOfLine = (credit: InvoiceLine) =>
    credit.creditedLine === undefined
      ? isOfService(credit) && (credit.kind !== 'adjustment' || line.kind !== 'charge')
      : credit.creditedLine === position
  const billed = invoice.lines.filter((each) => each.kind !== 'credit' && isOfService(each))
  const credits = notes.flatMap(({ lines }) => lines)
  const ofLine = line.netMicros - netOf(credits.filter(isOfLine))
  return Math.min(ofLine, netOf(billed) - netOf(credits.filter(isOfService)))
}

function netOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, { netMicros }) => sum + netMicros, 0)
}

/** A line as it was before it was summed up. */
function lineFacts({ discount, commission, exactMicros: _exact, netMicros: _net, ...line }: InvoiceLine): LineFacts {
  return {
    ...line,
    ...(discount && { discountPercent: discount.percent }),
    ...(commission && { commissionPercent: commission.percent }),
  }
}
