/** A brand as everybody names it: the domain that has its brand.json, and which brand of the house it is (AdCP core/brand-ref.json). */
export interface BrandName {
  domain: string
  brand_id?: string
  industries?: string[]
}

/** An account as a request names it (AdCP core/account-ref.json): by the seller's id, or by whose money it is and who spends it. */
export type AccountName = { account_id: string } | { brand: BrandName; operator: string; sandbox?: boolean }

/** A company as it is billed (AdCP core/business-entity.json). */
export interface BilledParty {
  legal_name: string
  vat_id?: string
  tax_id?: string
  registration_number?: string
  address?: { street: string; city: string; postal_code: string; region?: string; country: string }
  contacts?: { role: 'billing' | 'legal' | 'creative' | 'general'; name?: string; email?: string; phone?: string }[]
  bank?: { account_holder: string; iban?: string; bic?: string; routing_number?: string; account_number?: string }
  ext?: object
}

/** A length of time (AdCP core/duration.json). */
export interface Duration {
  interval: number
  unit: 'seconds' | 'minutes' | 'hours' | 'days' | 'campaign'
}

/** The two sides of an order. */
export const SIDES = ['buyer', 'seller'] as const
export type Side = (typeof SIDES)[number]
