import type { PaymentTerms } from './account-document.ts'

/** Inclusive days, `YYYY-MM-DD`. */
export interface Period {
  readonly start: string
  readonly end: string
}

/** An invoice as its buyer reads it, in major units. */
export interface Invoice {
  invoice_id: string
  period: Period
  amount: number
  status: 'draft' | 'issued' | 'paid' | 'past_due' | 'void'
  due_date?: string
  paid_date?: string
}

export interface Credit {
  credit_limit: number
  available_credit: number
  utilization_percent: number
}

export interface Balance {
  available: number
  last_top_up?: { amount: number; date: string }
}

/** An account in a currency that the answer is not in (`ext.other_currencies`). */
export interface OtherCurrency {
  readonly currency: string
  readonly total_spend: number
  /** Less than zero: money of the buyer's that is left. */
  readonly owed: number
  readonly invoices?: readonly Invoice[]
}

export type PaymentStatus = 'current' | 'past_due' | 'suspended'

/** How an account stands (AdCP account/get-account-financials-response.json). */
export interface Financials {
  currency: string
  period: Period
  timezone: string
  spend: { total_spend: number; media_buy_count: number }
  credit?: Credit
  balance?: Balance
  payment_status: PaymentStatus
  payment_terms?: PaymentTerms
  invoices: Invoice[]
  ext?: object
}
