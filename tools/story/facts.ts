import type { PaidInvoicePage } from '../../src/operator/billing/invoice-shapes.ts'

/** What a line counted in a period, as it was known from `at` on: a later count of the same period takes its place. */
export interface CountFact {
  readonly at: string
  readonly line: string
  /** `YYYY-MM-DDTHH`, an hour of UTC; of an ad server that reports days `YYYY-MM-DD`. */
  readonly period: string
  readonly impressions: number
  readonly clicks: number
}

/** A line as it was sold. Prices and budgets are decimal texts in the currency of the publisher. */
export interface LineFact {
  readonly line: string
  readonly name: string
  readonly model: 'cpm' | 'cpc' | 'flat_rate' | 'per_day'
  /** What was agreed; of an auction what is known of it, from which the price follows. */
  readonly rate: string | { readonly floor: string; readonly median: string; readonly bid: string; readonly clearing: boolean }
  /** The most that the line costs; absent: it has no limit. */
  readonly budget?: string
  readonly starts_at: string
  readonly ends_at: string
  /** Impressions that were promised. */
  readonly goal?: number
  readonly cancellation?: { readonly notice_days: number; readonly percent_of_rest: string }
}

export interface OrderFact {
  readonly order: string
  readonly origin: 'buyer' | 'entered' | 'adopted'
  /** Who counts: this program by the hour, or an ad server by UTC days, each cut to the micro. */
  readonly counted_by: 'hour' | 'day'
  /** Whose order it is first: an id of a party; null: house ads, which nobody pays. */
  readonly party: string | null
  readonly lines: readonly LineFact[]
}

/** Who pays, with what the tax follows from. */
export interface PartyFact {
  readonly party: string
  readonly name: string
  readonly country: string
  readonly vat_id: string
}

/** What people and buyers did, in its order. Amounts are decimal texts, days those of the publisher. */
export type ActFact =
  | { readonly at: string; readonly act: 'terms'; readonly order: string; readonly discount: string; readonly commission: string }
  | { readonly at: string; readonly act: 'bill_to'; readonly order: string; readonly party: string }
  | { readonly at: string; readonly act: 'charge'; readonly order: string; readonly amount: string }
  | { readonly at: string; readonly act: 'cancel'; readonly order: string }
  | { readonly at: string; readonly act: 'make_good'; readonly order: string; readonly line: string }
  | { readonly at: string; readonly act: 'close'; readonly month: string }
  | { readonly at: string; readonly act: 'credit'; readonly invoice: string; readonly what: 'all' | 'corrections' }
  | {
      readonly at: string
      readonly act: 'credit'
      readonly invoice: string
      readonly what: 'amount'
      readonly amount: string
    }
  | {
      readonly at: string
      readonly act: 'pay'
      readonly invoice: string
      readonly amount: string
      readonly day: string
      readonly payment: string
    }
  | { readonly at: string; readonly act: 'take_back'; readonly payment: string }

/** An invoice or credit note as the program shows it at the end of the story. */
export type InvoiceFact = Omit<PaidInvoicePage, 'reads' | 'reports' | 'account_details'>

/** A year of a publisher: what was sold, counted and done, and what the program wrote of it. */
export interface YearFacts {
  readonly publisher: {
    readonly name: string
    readonly country: string
    readonly vat_percent: string
    readonly payment_days: number
  }
  readonly currency: string
  readonly today: string
  readonly parties: readonly PartyFact[]
  readonly orders: readonly OrderFact[]
  readonly counts: readonly CountFact[]
  readonly acts: readonly ActFact[]
  /** By month, and in a month by number. */
  readonly invoices: readonly InvoiceFact[]
  readonly open: readonly { readonly currency: string; readonly open: number; readonly overdue: number }[]
}
