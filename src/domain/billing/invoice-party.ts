import { isObject } from '../../protocol/is-object.ts'
import { countryNameIn } from '../country-names.ts'

/** Where a party has its seat. */
export interface PartyAddress {
  readonly street: string
  readonly city: string
  readonly postalCode: string
  readonly region?: string
  /** ISO 3166-1, two letters. */
  readonly country: string
}

/** Where money is paid to. */
export interface BankDetails {
  readonly accountHolder?: string
  readonly iban?: string
  readonly bic?: string
}

/** Who sends or pays an invoice: the members of AdCP core/business-entity.json that an invoice shows. */
export interface InvoiceParty {
  readonly name: string
  readonly address?: PartyAddress
  /** With the prefix of its country. */
  readonly vatId?: string
  /** Of countries without VAT numbers. */
  readonly taxId?: string
  readonly registrationNumber?: string
  readonly email?: string
  readonly phone?: string
  readonly bank?: BankDetails
}

/** The party that a business entity (AdCP core/business-entity.json) names; undefined: it has no legal name. */
export function partyOfEntity(entity: unknown): InvoiceParty | undefined {
  if (!isObject(entity)) return undefined
  const name = textOf(entity, 'legal_name')
  if (name === undefined) return undefined
  const contact = contactOf(entity.contacts)
  return defined({
    name,
    address: addressOf(entity.address),
    vatId: textOf(entity, 'vat_id'),
    taxId: textOf(entity, 'tax_id'),
    registrationNumber: textOf(entity, 'registration_number'),
    email: textOf(contact, 'email'),
    phone: textOf(contact, 'phone'),
  })
}

/** The country of a party: of its address, else the prefix of its VAT number; Greek VAT numbers begin with EL. */
export function countryOf({ address, vatId }: Pick<InvoiceParty, 'address' | 'vatId'>): string | undefined {
  if (address) return address.country
  const prefix = vatId?.slice(0, 2)
  return prefix === 'EL' ? 'GR' : prefix
}

/** The lines of an address as letters have them; `locale`: the reader's, who reads the name of the country. */
export function addressLines({ street, postalCode, city, region, country }: PartyAddress, locale: string): readonly string[] {
  return [street, `${postalCode} ${city}`.trim(), region ?? '', countryNameIn(country, locale)].filter((line) => line !== '')
}

function addressOf(address: unknown): PartyAddress | undefined {
  if (!isObject(address)) return undefined
  const country = textOf(address, 'country')
  if (country === undefined) return undefined
  const region = textOf(address, 'region')
  const [street = '', city = '', postalCode = ''] = ['street', 'city', 'postal_code'].map((name) => textOf(address, name))
  return { street, city, postalCode, ...(region !== undefined && { region }), country }
}

/** Whom invoices go to: the contact for billing, else the first one. */
function contactOf(contacts: unknown): unknown {
  if (!Array.isArray(contacts)) return undefined
  return contacts.find((each) => textOf(each, 'role') === 'billing') ?? contacts[0]
}

function textOf(of: unknown, name: string): string | undefined {
  const value = isObject(of) ? of[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The party without members that are unknown. */
function defined(party: { readonly [Name in keyof InvoiceParty]: InvoiceParty[Name] | undefined } & { readonly name: string }) {
  const { name, ...others } = party
  return { name, ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)) } satisfies InvoiceParty
}
