import type { InvoicedUnit } from './flat-part.ts'
import type { InvoiceParty } from './invoice-party.ts'
import { payableMicros, payableParts, percentOf, taxMicros } from './invoice-rounding.ts'
import type { InvoiceLanguage } from './invoice-words.ts'
import type { Tax } from './tax-rule.ts'

/** A deduction from a line: the percentage that was agreed, and what it comes to (micros). */
export interface Deduction {
  readonly percent: number
  readonly micros: number
}

/** What a line bills: delivery of the month, a correction of an earlier one, a charge such as a cancellation fee, or a credit. */
export const LINE_KINDS = ['delivery', 'adjustment', 'charge', 'credit'] as const
export type LineKind = (typeof LINE_KINDS)[number]

/**
 * What the rate of a line is: what was agreed, at which the quantity costs the gross amount to the micro; the same, where the amount is the sum of days that are exact to the micro each; or an average.
 */
export const RATE_BASES = ['agreed', 'sum_of_days', 'clearing_average', 'budget_average', 'average'] as const
export type RateBasis = (typeof RATE_BASES)[number]

/** A rate that is an average: of the prices at which an auction cleared; of what was delivered, where the budget was spent and the rest cost nothing; or another: several rates held, or the amount was reported. */
export type AverageBasis = Exclude<RateBasis, 'agreed' | 'sum_of_days'>

export function isAverage(basis: RateBasis | null | undefined): basis is AverageBasis {
  return basis === 'clearing_average' || basis === 'budget_average' || basis === 'average'
}

/** A line before it is summed up. Money in micros of the invoice's currency. */
export interface LineFacts {
  readonly kind: LineKind
  readonly serviceMonth: string
  readonly orderId: string
  readonly orderName?: string
  readonly lineId: string
  readonly productId: string
  readonly name: string
  /** The buyer's purchase order. */
  readonly poNumber?: string
  readonly unit: InvoicedUnit
  /** Absent: an amount alone is billed. */
  readonly quantity?: number
  /** Units that one rate buys. */
  readonly per: number
  /** What `per` units cost. */
  readonly rateMicros?: number
  /** What the rate is; absent: there is none, or the line is from before invoices kept it. */
  readonly rateBasis?: RateBasis
  /** Of a line from before invoices kept what the rate is: an average. */
  readonly isAverage?: boolean
  /** Why it is billed, where the kind does not say; of a credited part, why what it is of was billed. */
  readonly reason?: string
  /** Of a credited part: the number of the line of its invoice, from 1; absent: of any line of the same order, line and month (credit notes before there were numbers). */
  readonly creditedLine?: number
  /** The number of the invoice that a correction corrects, or that bills what a credit gives back; absent: none does, or the line is from before invoices kept it. */
  readonly ofInvoice?: string
  readonly grossMicros: number
  /** Per cent, with at most two decimals. */
  readonly discountPercent?: number
  readonly commissionPercent?: number
}

/** What is taken off a gross amount, in per cent. */
export type Deductions = Pick<LineFacts, 'discountPercent' | 'commissionPercent'>

export interface InvoiceLine extends Omit<LineFacts, 'discountPercent' | 'commissionPercent'> {
  readonly discount?: Deduction
  readonly commission?: Deduction
  /** The gross amount less what is deducted. */
  readonly exactMicros: number
  /** As it is payable: lines add up to the net total. */
  readonly netMicros: number
}

/** The report of a day (UTC) as it was published when the invoice was written (AdCP 3.2, core/reporting-revision.json), with its corrections. */
export interface InvoiceReport {
  readonly day: string
  readonly revisionId: string
  /** SHA-256, hex. */
  readonly digest: string
  /** Ids. */
  readonly corrections: readonly string[]
  /** The month `YYYY-MM` of the publisher's time zone that has a part of the day, whose invoice bills that part; absent: no other month has. */
  readonly sharedWith?: string
}

export const INVOICE_KINDS = ['invoice', 'credit_note'] as const

/** What is said of an invoice before its lines are summed up. */
export interface InvoiceFacts {
  readonly kind: (typeof INVOICE_KINDS)[number]
  readonly number: string
  /** The invoice that a credit note refers to. */
  readonly refersTo?: string
  readonly reason?: string
  /** Days of the publisher, `YYYY-MM-DD`. */
  readonly issuedOn: string
  readonly dueOn?: string
  readonly period: { readonly first: string; readonly last: string }
  readonly currency: string
  readonly language: InvoiceLanguage
  readonly seller: InvoiceParty
  readonly buyer: InvoiceParty
  readonly buyerReference: string
  readonly tax: Tax
}

/**
 * An invoice or a credit note as it is issued. Amounts of a credit note are what is given back: positive. Rounding: lines are exact to the micro and rounded so that
 * they add up to the rounded sum; tax is the rounded percentage of that sum; both are added.
 */
export interface InvoiceDocument extends InvoiceFacts {
  readonly lines: readonly InvoiceLine[]
  /** Reports of the deliveries that are billed; absent: the buyer has none. */
  readonly reports?: readonly InvoiceReport[]
  /** The exact sum of the lines, before they are rounded. */
  readonly exactMicros: number
  readonly netMicros: number
  readonly taxMicros: number
  readonly payableMicros: number
}

/** Sums an invoice up. The amounts of the lines are those of the document: positive for what a credit note gives back. */
export function invoiceDocument(facts: InvoiceFacts, lines: readonly LineFacts[]): InvoiceDocument {
  const { currency, tax } = facts
  const exact = lines.map(deducted)
  const parts = payableParts(
    exact.map(({ exactMicros }) => exactMicros),
    currency,
  )
  const exactMicros = exact.reduce((sum, line) => sum + line.exactMicros, 0)
  const netMicros = payableMicros(exactMicros, currency)
  const owed = tax.kind === 'rate' ? taxMicros(netMicros, tax.percent, currency) : 0
  return {
    ...facts,
    lines: exact.map((line, index) => ({ ...line, netMicros: parts[index] ?? 0 })),
    exactMicros,
    netMicros,
    taxMicros: owed,
    payableMicros: netMicros + owed,
  }
}

/** Numbers of the earlier invoices that a document corrects or gives back parts of (EN 16931, BG-3): the one that a credit note is of, else those of its lines. */
export function precedingInvoices({ refersTo, lines }: Pick<InvoiceDocument, 'refersTo' | 'lines'>): readonly string[] {
  return refersTo === undefined ? [...new Set(lines.flatMap(({ ofInvoice }) => ofInvoice ?? []))] : [refersTo]
}

/** What is charged of a gross amount, exact to the micro: after discount, and commission of what is left of it. */
export function chargedOf(grossMicros: number, terms: Deductions): number {
  const discounted = grossMicros - (deductionOf(grossMicros, terms.discountPercent)?.micros ?? 0)
  return discounted - (deductionOf(discounted, terms.commissionPercent)?.micros ?? 0)
}

/** What the rate of a line is, as far as its invoice kept it. */
export function rateBasisOf({ rateBasis, isAverage }: Pick<LineFacts, 'rateBasis' | 'isAverage'>): RateBasis | undefined {
  return rateBasis ?? (isAverage ? 'average' : undefined)
}

/** Discount is taken from the gross amount, commission from what is left of it. */
function deducted({ discountPercent, commissionPercent, ...line }: LineFacts): Omit<InvoiceLine, 'netMicros'> {
  const discount = deductionOf(line.grossMicros, discountPercent)
  const discounted = line.grossMicros - (discount?.micros ?? 0)
  const commission = deductionOf(discounted, commissionPercent)
  return {
    ...line,
    ...(discount && { discount }),
    ...(commission && { commission }),
    exactMicros: discounted - (commission?.micros ?? 0),
  }
}

function deductionOf(micros: number, percent: number | undefined): Deduction | undefined {
  return percent === undefined || percent === 0 ? undefined : { percent, micros: percentOf(micros, percent) }
}
