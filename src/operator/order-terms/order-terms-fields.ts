import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import type { OrderParty, OrderTerms } from '../../domain/order/order-terms.ts'
import { PARTY_ROLES, type PartyRole } from '../../domain/order/order-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { basisPoints } from '../basis-points.ts'
import { oneOf, texts, type Values } from '../fields.ts'
import { orderOrigin } from '../orders/order-shapes.ts'
import { ORDER } from '../orders/show-order.ts'
import { countryField, mailField, partyLine, requiredBeside, vatIdField } from '../party-members.ts'
import { about, integer, listOf, named, type Of, object, orNull, string, word } from '../shape.ts'

/** What is known of an advertiser or an agency, member by member: what it is, how people call it, and where it is in what is stored. */
const PARTY = {
  name: ['legal name; empty: nothing is known of it', 'Legal name', ({ name }) => name],
  street: ['street and number', 'Street and number', ({ address }) => address?.street],
  postal_code: ['postal code', 'Postal code', ({ address }) => address?.postalCode],
  city: ['city', 'City', ({ address }) => address?.city],
  country: ['country', 'Country', ({ address }) => address?.country],
  vat_id: ['VAT number', 'VAT number', ({ vatId }) => vatId],
  contact: ['whom to ask there', 'Contact', ({ contact }) => contact],
  email: ['whom invoices go to', 'E-mail for invoices', ({ email }) => email],
  phone: ['telephone number', 'Telephone', ({ phone }) => phone],
} as const satisfies Readonly<Record<string, readonly [string, string, (party: OrderParty) => string | undefined]>>
type Member = keyof typeof PARTY
const MEMBERS = Object.keys(PARTY).filter((name): name is Member => Object.hasOwn(PARTY, name))

/** The members of a party in their order, each with what people call it. */
export const PARTY_LABELS = MEMBERS.map((member) => [member, PARTY[member][1]] as const)

/** Something for each member of a party, under the name of the member. */
function eachMember<T>(make: (member: Member) => T) {
  return Object.fromEntries(MEMBERS.map((member) => [member, make(member)])) as Readonly<Record<Member, T>>
}

/** What makes the field of a member that is no line. */
const KINDS: Partial<Readonly<Record<Member, typeof partyLine>>> = {
  country: countryField,
  vat_id: vatIdField,
  email: mailField,
}

/** The fields for the members of a party: `agency_name` is the name of the agency. */
function partyFields<R extends PartyRole>(role: R) {
  const fieldOf = (member: Member) => (KINDS[member] ?? partyLine)(`of the ${role}: ${PARTY[member][0]}`)
  const fields = MEMBERS.map((member) => [`${role}_${member}`, fieldOf(member)] as const)
  return Object.fromEntries(fields) as Readonly<Record<`${R}_${Member}`, ReturnType<typeof partyLine>>>
}

/** The fields of the terms of an order. Labels are replaced as a whole; an empty text takes a member away. */
export const TERMS_FIELDS = {
  order: ORDER,
  ...partyFields('advertiser'),
  ...partyFields('agency'),
  billed_to: oneOf(PARTY_ROLES, 'who pays; orders of buyers are billed to their account'),
  purchase_order: partyLine('purchase order number of who pays'),
  sales_person: partyLine('who of the publisher sold it'),
  labels: texts('labels of your own, kept with the order'),
  discount_basis_points: basisPoints('discount'),
  commission_basis_points: basisPoints('commission of the agency after the discount'),
}
export type TermsValues = Values<typeof TERMS_FIELDS>

const partyShape = named('OrderParty', object({ ...eachMember(() => orNull(string)), name: string }))

export const orderTermsShape = named(
  'OrderTerms',
  about(
    'What finance and sales know of an order of any origin, beside what was ordered.',
    object({
      order_id: string,
      origin: orderOrigin,
      advertiser: orNull(partyShape),
      agency: orNull(partyShape),
      billed_to: about('who pays for an order that people entered', word(...PARTY_ROLES)),
      billing_party: about('whom invoices go to: an account of a buyer, an advertiser or an agency; empty: nobody', string),
      purchase_order: orNull(string),
      sales_person: orNull(string),
      labels: listOf(string),
      discount_basis_points: integer,
      commission_basis_points: integer,
    }),
  ),
)
export type ShownTerms = Of<typeof orderTermsShape>

/** Terms as they are shown. */
export function presentTerms(
  { orderId, origin, billingParty }: { readonly orderId: string; readonly origin: OrderOrigin; readonly billingParty: string },
  terms: OrderTerms,
): ShownTerms {
  return {
    order_id: orderId,
    origin,
    advertiser: presentParty(terms.advertiser),
    agency: presentParty(terms.agency),
    billed_to: terms.billedTo,
    billing_party: billingParty,
    purchase_order: terms.poNumber ?? null,
    sales_person: terms.salesPerson ?? null,
    labels: terms.labels,
    discount_basis_points: terms.discountBasisPoints,
    commission_basis_points: terms.commissionBasisPoints,
  }
}

function presentParty(party: OrderParty | undefined): ShownTerms['advertiser'] {
  return party ? { ...eachMember((member) => PARTY[member][2](party) || null), name: party.name } : null
}

/** Terms after a change of some members. Throws INVALID_REQUEST, naming the member, for a member without its party or its country, which could not be stored. */
export function changedTerms(before: OrderTerms, values: TermsValues): OrderTerms {
  const advertiser = changedParty('advertiser', before.advertiser, values)
  const agency = changedParty('agency', before.agency, values)
  const billedTo = values.billed_to ?? before.billedTo
  if (billedTo === 'agency' && !agency)
    throw new AdcpError('INVALID_REQUEST', 'an order is billed to its agency only when agency_name is known', {
      field: 'agency_name',
    })
  const poNumber = values.purchase_order ?? before.poNumber
  const salesPerson = values.sales_person ?? before.salesPerson
  return {
    ...(advertiser && { advertiser }),
    ...(agency && { agency }),
    billedTo,
    ...(poNumber && { poNumber }),
    ...(salesPerson && { salesPerson }),
    labels: [...new Set(values.labels ?? before.labels)],
    discountBasisPoints: values.discount_basis_points ?? before.discountBasisPoints,
    commissionBasisPoints: values.commission_basis_points ?? before.commissionBasisPoints,
  }
}

function changedParty(role: PartyRole, before: OrderParty | undefined, values: TermsValues): OrderParty | undefined {
  const was = presentParty(before)
  const textOf = (member: Member) => values[`${role}_${member}`] ?? was?.[member] ?? ''
  const name = textOf('name')
  const other = MEMBERS.find((member) => member !== 'name' && textOf(member) !== '')
  if (name === '') {
    if (other === undefined || values[`${role}_name`] !== undefined) return undefined
    throw requiredBeside(`${role}_name`, `${role}_${other}`)
  }
  const [country, vatId] = [textOf('country'), textOf('vat_id')]
  const inAddress = (['street', 'postal_code', 'city'] as const).find((member) => textOf(member) !== '')
  if (country === '' && inAddress !== undefined) throw requiredBeside(`${role}_country`, `${role}_${inAddress}`)
  const place = { street: textOf('street'), postalCode: textOf('postal_code'), city: textOf('city') }
  return {
    name,
    ...(country !== '' && { address: { ...place, country } }),
    ...(vatId !== '' && { vatId }),
    ...(textOf('contact') !== '' && { contact: textOf('contact') }),
    ...(textOf('email') !== '' && { email: textOf('email') }),
    ...(textOf('phone') !== '' && { phone: textOf('phone') }),
  }
}
