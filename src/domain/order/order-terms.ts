import { countryOf, type InvoiceParty } from '../billing/invoice-party.ts'

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

/** What stands in a key between the name of a party and what tells it from an earlier one of that name. */
export const BESIDE_NAME = ' · '
const LONGEST_IDENTITY = 120

/** The key of the first party of a name that pays for orders without an account: its invoices in one currency are one. `advertiser`: as the order names it. */
export function billingPartyOf(advertiser: string, { billedTo, agency }: OrderTerms): string {
  return billedTo === 'agency' && agency ? `${AGENCY_PARTY}${agency.name}` : `${ADVERTISER_PARTY}${advertiser}`
}

/** The key of another party of that name (see {@link isOtherParty}): with its VAT number, else its address. Undefined where neither is known. */
export function otherPartyOf(firstKey: string, { vatId, address }: InvoiceParty): string | undefined {
  const place = address && [address.country, address.postalCode, address.city, address.street].filter((part) => part !== '')
  const isThere = vatId === undefined || countryOf({ vatId }) !== address?.country
  const identity = vatId === undefined ? place : [vatId, ...(isThere && address ? [address.country] : [])]
  return identity && `${firstKey}${BESIDE_NAME}${identity.join(', ').slice(0, LONGEST_IDENTITY)}`
}

/** The key of the first party of the name that a key has. */
export function firstPartyOf(partyKey: string): string {
  return partyKey.split(BESIDE_NAME)[0] ?? partyKey
}

/** Whether what is known of two parties of one name says that they are two: another VAT number, another country, or another address of those without a VAT number. */
export function isOtherParty(a: InvoiceParty, b: InvoiceParty): boolean {
  if (differ(a.vatId, b.vatId) || differ(countryOf(a), countryOf(b))) return true
  if (a.vatId !== undefined && b.vatId !== undefined) return false
  return (['street', 'postalCode', 'city'] as const).some((part) => differ(a.address?.[part], b.address?.[part]))
}

/** Whether two texts are known, and are not the same but for case and spaces. */
function differ(a = '', b = ''): boolean {
  const [first, second] = [a, b].map((text) => text.toLowerCase().replaceAll(/[\s.,]/g, ''))
  return first !== '' && second !== '' && first !== second
}

/** Who pays for an order without an account: what is known of the party, else its name in the key. */
export function payerOf(partyKey: string, { advertiser, agency }: Pick<OrderTerms, 'advertiser' | 'agency'>): OrderParty {
  return (roleOfKey(partyKey) === 'agency' ? agency : advertiser) ?? { name: payerName(partyKey) }
}

/** Whether the key is of an advertiser or of an agency. */
export function roleOfKey(partyKey: string): PartyRole {
  return partyKey.startsWith(AGENCY_PARTY) ? 'agency' : 'advertiser'
}

function lengthOfRole(partyKey: string): number {
  return (roleOfKey(partyKey) === 'agency' ? AGENCY_PARTY : ADVERTISER_PARTY).length
}

/** Whether it is known where a party is, or its VAT number: what an invoice and its tax go by. */
export function isPlaced({ address, vatId }: OrderParty): boolean {
  return address !== undefined || vatId !== undefined
}

/** What people call who pays: the name in the key of an advertiser or agency; an account is its id. */
export function payerName(key: string): string {
  return isParty(key) ? key.slice(lengthOfRole(key)) : key
}

/** Whether a key names a party that is no account. */
export function isParty(key: string): boolean {
  return key.startsWith(ADVERTISER_PARTY) || key.startsWith(AGENCY_PARTY)
}
