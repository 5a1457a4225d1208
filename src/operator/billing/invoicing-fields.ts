import { INVOICE_LANGUAGES } from '../../domain/billing/invoice-words.ts'
import { DEFAULT_PAYMENT_DAYS, type Invoicing } from '../../domain/billing/invoicing.ts'
import { taxRuleText } from '../../domain/billing/tax-rule.ts'
import { VAT_RATES_AS_OF } from '../../domain/billing/vat-rates.ts'
import { between, count, oneOf, texts } from '../fields.ts'
import { countryField, mailField, numberField, partyLine, vatIdField } from '../party-members.ts'
import { about, integer, listOf, named, type Of, object, orNull, string, word } from '../shape.ts'

/** What a publisher says of itself on invoices. */
export const INVOICING_FIELDS = {
  legal_name: partyLine('legal name of the publisher; empty: invoices have the name of the publisher, and no tax'),
  street: partyLine('street and number'),
  postal_code: partyLine('postal code'),
  city: partyLine('city'),
  country: countryField('country'),
  vat_id: vatIdField('VAT number; empty: none, and no VAT is charged'),
  tax_id: partyLine('tax number of countries without VAT numbers'),
  registration_number: partyLine('number in the register of companies'),
  email: mailField('whom questions about invoices go to'),
  phone: partyLine('telephone number'),
  account_holder: partyLine('who has the bank account, where that is not the legal name'),
  iban: numberField('of the bank account', '^[A-Z]{2}\\d{2}[A-Z0-9]{4,30}$', 'an IBAN, e.g. SE4550000000058398257466'),
  bic: numberField('of the bank', '^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$', 'a BIC of 8 or 11 capital letters and digits'),
  payment_days: between(
    0,
    365,
    count(`days until an invoice is due where the account has no terms; default ${DEFAULT_PAYMENT_DAYS}`),
  ),
  language: oneOf(['receiver', ...INVOICE_LANGUAGES], 'of invoices; receiver: that of the country of who pays'),
  tax_rules: texts(
    `rules before those that hold by default, each such as DE=19 or EU/business=reverse_charge or *=outside_scope or NO=exempt:REASON, and with days of service DE@2027-01-01=20 or DE@2026-07-01..2026-12-31=16 or DE@..2026-12-31=19; by default standard rates of ${VAT_RATES_AS_OF}`,
  ),
}

export const invoicingShape = named(
  'InvoicingDetails',
  object({
    legal_name: orNull(string),
    street: orNull(string),
    postal_code: orNull(string),
    city: orNull(string),
    country: orNull(string),
    vat_id: orNull(string),
    tax_id: orNull(string),
    registration_number: orNull(string),
    email: orNull(string),
    phone: orNull(string),
    account_holder: orNull(string),
    iban: orNull(string),
    bic: orNull(string),
    payment_days: integer,
    language: word('receiver', ...INVOICE_LANGUAGES),
    tax_rules: listOf(string),
    rates_as_of: about('when the standard rates that hold by default were checked', string),
  }),
)
export type InvoicingDetails = Of<typeof invoicingShape>

export function presentInvoicing({ party, paymentDays, language, taxRules }: Invoicing): InvoicingDetails {
  const { address, bank } = party ?? {}
  return {
    legal_name: party?.name ?? null,
    street: address?.street || null,
    postal_code: address?.postalCode || null,
    city: address?.city || null,
    country: address?.country ?? null,
    vat_id: party?.vatId ?? null,
    tax_id: party?.taxId ?? null,
    registration_number: party?.registrationNumber ?? null,
    email: party?.email ?? null,
    phone: party?.phone ?? null,
    account_holder: bank?.accountHolder ?? null,
    iban: bank?.iban ?? null,
    bic: bank?.bic ?? null,
    payment_days: paymentDays ?? DEFAULT_PAYMENT_DAYS,
    language: language ?? 'receiver',
    tax_rules: taxRules.map(taxRuleText),
    rates_as_of: VAT_RATES_AS_OF,
  }
}
