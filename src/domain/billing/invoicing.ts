import type { InvoiceParty } from './invoice-party.ts'
import type { InvoiceLanguage } from './invoice-words.ts'
import type { TaxRule } from './tax-rule.ts'

/** What a publisher says of itself on its invoices, and how it bills. */
export interface Invoicing {
  /** Absent: the name of the publisher alone. */
  readonly party?: InvoiceParty
  /** Days until an invoice is due, where the account has no terms of its own; absent: {@link DEFAULT_PAYMENT_DAYS}. */
  readonly paymentDays?: number
  /** Of all invoices; absent: that of the receiver's country. */
  readonly language?: InvoiceLanguage
  /** Before the rules that hold by default, in their order. */
  readonly taxRules: readonly TaxRule[]
}

/** Of a publisher that has said nothing. */
export const NO_INVOICING: Invoicing = { taxRules: [] }

/** Days until an invoice is due where nobody has said otherwise (Directive 2011/7/EU, article 3, has 30). */
export const DEFAULT_PAYMENT_DAYS = 30
