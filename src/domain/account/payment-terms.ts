import type { PaymentTerms } from './account-document.ts'

/** Days until an invoice is due by the agreed terms (AdCP enums/payment-terms). */
export const NET_DAYS: { readonly [Terms in PaymentTerms]: number } = {
  net_15: 15,
  net_30: 30,
  net_45: 45,
  net_60: 60,
  net_90: 90,
  prepay: 0,
}

/** The agreed terms that a stored account has; undefined: none that the protocol knows. */
export function paymentTermsOf(terms: unknown): PaymentTerms | undefined {
  return isTerms(terms) ? terms : undefined
}

function isTerms(terms: unknown): terms is PaymentTerms {
  return typeof terms === 'string' && Object.hasOwn(NET_DAYS, terms)
}
