import type { InvoiceParty, PartyAddress } from '../../domain/billing/invoice-party.ts'
import { DEFAULT_PAYMENT_DAYS, type Invoicing } from '../../domain/billing/invoicing.ts'
import { readTaxRule, type TaxRule } from '../../domain/billing/tax-rule.ts'
import { isCountry } from '../../domain/country-names.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Values } from '../fields.ts'
import { requiredBeside } from '../party-members.ts'
import type { INVOICING_FIELDS, InvoicingDetails } from './invoicing-fields.ts'

/** The members that are texts. */
type TextName = Exclude<keyof InvoicingDetails, 'payment_days' | 'tax_rules' | 'language' | 'rates_as_of'>
type TextOf = (name: TextName) => string | undefined

/**
 * What a publisher says of itself after a change of some members. Throws INVALID_REQUEST, naming the member, for what is no tax rule, and where a member would be
 * lost because what it belongs to is missing.
 */
export function readInvoicing(before: InvoicingDetails, values: Values<typeof INVOICING_FIELDS>): Invoicing {
  const given = { ...before, ...values }
  const textOf: TextOf = (name) => given[name] || undefined
  const party = partyOf(textOf)
  const { payment_days: days, language, tax_rules: rules } = given
  // What was stored before is not in the way of another change.
  for (const rule of values.tax_rules ?? []) requireCountryOf(readTaxRule(rule, 'tax_rules'))
  return {
    ...(party && { party }),
    ...(days !== DEFAULT_PAYMENT_DAYS && { paymentDays: days }),
    ...(language !== 'receiver' && { language }),
    taxRules: rules.map((rule) => readTaxRule(rule, 'tax_rules')),
  }
}

function requireCountryOf({ where }: TaxRule): void {
  if (where === '*' || where === 'EU' || isCountry(where)) return
  throw new AdcpError('INVALID_REQUEST', `tax_rules: ${where} is no country (ISO 3166-1); name one, EU or *`, {
    field: 'tax_rules',
  })
}

const OF_ADDRESS = ['street', 'postal_code', 'city'] as const
const NUMBERS = ['country', 'vat_id', 'tax_id', 'registration_number'] as const
const OTHERS = ['email', 'phone', 'account_holder', 'iban', 'bic'] as const

function partyOf(textOf: TextOf): InvoiceParty | undefined {
  const name = textOf('legal_name')
  const address = addressOf(textOf)
  if (name === undefined) {
    requireNone(textOf, [...NUMBERS, ...OTHERS], 'legal_name')
    return undefined
  }
  const bank = withoutAbsent({ accountHolder: textOf('account_holder'), iban: ibanOf(textOf), bic: textOf('bic') })
  return {
    name,
    ...(address && { address }),
    ...withoutAbsent({
      vatId: textOf('vat_id'),
      taxId: textOf('tax_id'),
      registrationNumber: textOf('registration_number'),
      email: textOf('email'),
      phone: textOf('phone'),
    }),
    ...(Object.keys(bank).length > 0 && { bank }),
  }
}

/** The IBAN, whose check digits (ISO 13616-1, by ISO 7064 MOD 97-10) show most mistakes in it: customers would pay to nobody. */
function ibanOf(textOf: TextOf): string | undefined {
  const iban = textOf('iban')
  if (iban === undefined) return undefined
  const digits = [...`${iban.slice(4)}${iban.slice(0, 4)}`].map((character) => Number.parseInt(character, 36)).join('')
  if ([...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1) return iban
  throw new AdcpError('INVALID_REQUEST', 'the check digits of the IBAN do not fit the rest: compare it with your bank', {
    field: 'iban',
  })
}

function addressOf(textOf: TextOf): PartyAddress | undefined {
  const country = textOf('country')
  if (country === undefined) {
    requireNone(textOf, OF_ADDRESS, 'country')
    return undefined
  }
  const [street = '', postalCode = '', city = ''] = OF_ADDRESS.map(textOf)
  return { street, city, postalCode, country }
}

/** What belongs to a missing member would be lost. */
function requireNone(textOf: TextOf, names: readonly TextName[], missing: TextName): void {
  const other = names.find((name) => textOf(name) !== undefined)
  if (other === undefined) return
  throw requiredBeside(missing, other)
}

function withoutAbsent<N extends string>(members: Readonly<Record<N, string | undefined>>): { readonly [K in N]?: string } {
  const given: { [K in N]?: string } = {}
  for (const name in members) if (members[name] !== undefined) given[name] = members[name]
  return given
}
