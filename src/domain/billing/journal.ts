import type { InvoiceDocument } from './invoice-document.ts'
import { taxCategory } from './tax-rule.ts'

/** What a booking is on: an account of the publisher's own books. */
export type LedgerAccount = 'receivables' | 'revenue' | 'tax' | 'bank'

/** One side of a booking, in micros of the currency of its document: one of both is zero. */
export interface Booking {
  readonly on: LedgerAccount
  readonly debitMicros: number
  readonly creditMicros: number
  /** Of revenue and tax (UNCL5305). */
  readonly taxCode?: string
  readonly taxPercent?: number | undefined
}

/** How an invoice is booked: what is receivable against revenue and tax. A credit note, whose amounts are what it gives back, is booked the other way round. */
export function bookedInvoice(
  document: Pick<InvoiceDocument, 'kind' | 'payableMicros' | 'netMicros' | 'taxMicros' | 'tax'>,
): readonly Booking[] {
  const sign = document.kind === 'credit_note' ? -1 : 1
  const { id: taxCode, percent: taxPercent } = taxCategory(document.tax)
  return sides([
    { on: 'receivables', micros: sign * document.payableMicros },
    { on: 'revenue', micros: -sign * document.netMicros, taxCode, taxPercent },
    { on: 'tax', micros: -sign * document.taxMicros, taxCode, taxPercent },
  ])
}

/** How money that came in is booked: in the bank against what was receivable; less than zero for a payment that was taken back, and for a refund. */
export function bookedPayment(micros: number): readonly Booking[] {
  return sides([
    { on: 'bank', micros },
    { on: 'receivables', micros: -micros },
  ])
}

/** Amounts as sides of a booking: above zero debit, below it credit; nothing is left out. */
function sides(
  amounts: readonly (Pick<Booking, 'on' | 'taxCode' | 'taxPercent'> & { readonly micros: number })[],
): readonly Booking[] {
  return amounts
    .filter(({ micros }) => micros !== 0)
    .map(({ micros, ...booking }) => ({ ...booking, debitMicros: Math.max(0, micros), creditMicros: Math.max(0, -micros) }))
}
