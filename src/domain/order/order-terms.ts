import type { InvoiceParty } from '../billing/invoice-party.ts'

/** An advertiser or an agency, and whom to ask there. */
export interface OrderParty extends InvoiceParty {
  readonly contact?: string
}

/** The parties of an order besides the publisher. */
export const PARTY_ROLES = ['advertiser', 'agency'] as const
export type PartyRole = (typeof PARTY_ROLES)[number]

/** What finance and sales know of an order of any origin, beside what was ordered. */
export interface OrderTerms {
  readonly advertiser?: OrderParty
  readonly agency?: OrderParty
  /** Who pays for an order that people entered; orders of buyers are billed to their account. */
  readonly billedTo: PartyRole
  /** Number of the purchase order of who pays: `po_number` of AdCP 3.0 and 3.1, `purchase_order_ref` of 3.2. `orders set-terms` and the CSV of orders call it `purchase_order`. */
  readonly poNumber?: string
  readonly salesPerson?: string
  readonly labels: readonly string[]
  /** Hundredths of a percent of what is charged. */
  readonly discountBasisPoints: number
  /** Hundredths of a percent of what is left after the discount: what the agency keeps. */
  readonly commissionBasisPoints: number
}

/** Terms of an order that nobody has said anything of. */
export const NO_TERMS: OrderTerms = { billedTo: 'advertiser', labels: [], discountBasisPoints: 0, commissionBasisPoints: 0 }

/** What the key of a billing party begins with where it is no account: an advertiser, or an agency. */
export const ADVERTISER_PARTY = 'direct:'
export const AGENCY_PARTY = 'agency:'

/** The key of who pays for an order without an account: its invoices in one currency are one. `advertiser`: as the order names it. */
export function billingPartyOf(advertiser: string, { billedTo, agency }: OrderTerms): string {
  return billedTo === 'agency' && agency ? `${AGENCY_PARTY}${agency.name}` : `${ADVERTISER_PARTY}${advertiser}`
}

/** Who pays for an order without an account: what is known of the party, else its name in the key. */
export function payerOf(partyKey: string, { advertiser, agency }: OrderTerms): OrderParty {
  const isAgency = partyKey.startsWith(AGENCY_PARTY)
  const name = partyKey.slice((isAgency ? AGENCY_PARTY : ADVERTISER_PARTY).length)
  return (isAgency ? agency : advertiser) ?? { name }
}

/** Whether a key names a party that is no account. */
export function isParty(key: string): boolean {
  return key.startsWith(ADVERTISER_PARTY) || key.startsWith(AGENCY_PARTY)
}
