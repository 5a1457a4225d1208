import { type InvoiceDocument, type InvoiceLine, isAverage, precedingInvoices } from '../../domain/billing/invoice-document.ts'
import type { InvoiceParty } from '../../domain/billing/invoice-party.ts'
import { payableMicros } from '../../domain/billing/invoice-rounding.ts'
import { exactAmountText } from '../../domain/billing/invoice-view.ts'
import { INVOICE_WORDS, type InvoiceWords, taxText } from '../../domain/billing/invoice-words.ts'
import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import { type Tax, taxCategory } from '../../domain/billing/tax-rule.ts'
import { minorDigits } from '../../domain/money.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { writeLongXml, type XmlValue } from '../../platform/decode/write-xml.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** EN 16931 counts money in hundredths at the finest (BR-DEC). */
const MOST_DIGITS = 2

/**
 * An invoice or credit note as UBL 2.1 by the rules of EN 16931. Throws INVALID_STATE, with what is missing, where the rules ask for what the invoice does not say: the address of a party, a VAT number
 * where tax is charged or owed by the buyer, an amount that a hundredth can hold.
 */
export function* invoiceUbl(document: InvoiceDocument): Steps<string> {
  requireComplete(document)
  const isCredit = document.kind === 'credit_note'
  const root = isCredit ? 'CreditNote' : 'Invoice'
  const cbc = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2'
  const cac = 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2'
  const { number, issuedOn, dueOn, currency, language, buyerReference, period, reason, lines } = document
  const orders = [...new Set(lines.flatMap(({ poNumber }) => poNumber ?? []))]
  const first = {
    '@xmlns': `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
    '@xmlns:cac': cac,
    '@xmlns:cbc': cbc,
    'cbc:CustomizationID': 'urn:cen.eu:en16931:2017',
    'cbc:ID': number,
    'cbc:IssueDate': issuedOn,
    'cbc:DueDate': isCredit ? undefined : dueOn,
    [`cbc:${root}TypeCode`]: isCredit ? 381 : 380,
    'cbc:Note': reason ?? INVOICE_WORDS[language].rounding,
    'cbc:DocumentCurrencyCode': currency,
    'cbc:BuyerReference': buyerReference,
    'cac:InvoicePeriod': { 'cbc:StartDate': period.first, 'cbc:EndDate': period.last },
    'cac:OrderReference': orders.length === 1 ? { 'cbc:ID': orders[0] } : undefined,
    'cac:BillingReference': precedingInvoices(document).map((id) => ({ 'cac:InvoiceDocumentReference': { 'cbc:ID': id } })),
    'cac:AccountingSupplierParty': { 'cac:Party': partyOf(document.seller, document.tax, true) },
    'cac:AccountingCustomerParty': { 'cac:Party': partyOf(document.buyer, document.tax, false) },
    'cac:PaymentMeans': isCredit ? undefined : paymentOf(document.seller, number),
    'cac:TaxTotal': taxTotal(document),
    'cac:LegalMonetaryTotal': {
      'cbc:LineExtensionAmount': money(document.netMicros, currency),
      'cbc:TaxExclusiveAmount': money(document.netMicros, currency),
      'cbc:TaxInclusiveAmount': money(document.payableMicros, currency),
      'cbc:PayableAmount': money(document.payableMicros, currency),
    },
  }
  const element = (line: InvoiceLine, index: number) => lineOf(line, index, document)
  return yield* writeLongXml(root, first, { name: `cac:${root}Line`, items: lines, element })
}

function requireComplete({ seller, buyer, tax, currency }: InvoiceDocument): void {
  const missing = [
    ...(seller.address ? [] : ['the address of the publisher (billing set-details)']),
    ...(buyer.address ? [] : ['the address of who pays (billing_entity of the account)']),
    ...(seller.vatId === undefined && tax.kind !== 'outside_scope'
      ? ['the VAT number of the publisher (billing set-details)']
      : []),
    ...(tax.kind === 'reverse_charge' && buyer.vatId === undefined
      ? ['the VAT number of who pays (billing_entity of the account)']
      : []),
    ...(minorDigits(currency) > MOST_DIGITS ? [`a currency without thousandths: ${currency} has them`] : []),
  ]
  if (missing.length === 0) return
  const message = `EN 16931 asks for what this invoice does not say: ${missing.join('; ')}. It is in PDF, CSV and XLSX; later invoices have what is set before their month is closed`
  throw new AdcpError('INVALID_STATE', message, { field: 'format' })
}

/** What is outside the scope of VAT must not name VAT numbers (BR-O-02): the register number, or the number itself as another one, names the party (BR-CO-26). */
function partyOf(party: InvoiceParty, { kind }: Tax, isSeller: boolean): XmlValue {
  const { name, address, vatId, registrationNumber, taxId, email, phone } = party
  const legalId =
    registrationNumber ?? taxId ?? (kind === 'outside_scope' ? vatId : undefined) ?? (isSeller ? (vatId ?? name) : undefined)
  return {
    'cac:PostalAddress': address && {
      'cbc:StreetName': address.street || undefined,
      'cbc:CityName': address.city || undefined,
      'cbc:PostalZone': address.postalCode || undefined,
      'cbc:CountrySubentity': address.region,
      'cac:Country': { 'cbc:IdentificationCode': address.country },
    },
    'cac:PartyTaxScheme':
      vatId === undefined || kind === 'outside_scope'
        ? undefined
        : { 'cbc:CompanyID': vatId, 'cac:TaxScheme': { 'cbc:ID': 'VAT' } },
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, 'cbc:CompanyID': legalId },
    'cac:Contact':
      email === undefined && phone === undefined ? undefined : { 'cbc:Telephone': phone, 'cbc:ElectronicMail': email },
  }
}

/** 30: a credit transfer (UNTDID 4461). */
function paymentOf({ name, bank }: InvoiceParty, number: string): XmlValue {
  if (bank?.iban === undefined) return undefined
  return {
    'cbc:PaymentMeansCode': 30,
    'cbc:PaymentID': number,
    'cac:PayeeFinancialAccount': {
      'cbc:ID': bank.iban,
      'cbc:Name': bank.accountHolder ?? name,
      'cac:FinancialInstitutionBranch': bank.bic === undefined ? undefined : { 'cbc:ID': bank.bic },
    },
  }
}

function taxTotal({ tax, netMicros, taxMicros, currency, language }: InvoiceDocument): XmlValue {
  const { id, percent, code } = taxCategory(tax)
  return {
    'cbc:TaxAmount': money(taxMicros, currency),
    'cac:TaxSubtotal': {
      'cbc:TaxableAmount': money(netMicros, currency),
      'cbc:TaxAmount': money(taxMicros, currency),
      'cac:TaxCategory': {
        'cbc:ID': id,
        'cbc:Percent': percent,
        'cbc:TaxExemptionReasonCode': code,
        'cbc:TaxExemptionReason': taxText(tax, language),
        'cac:TaxScheme': { 'cbc:ID': 'VAT' },
      },
    },
  }
}

/** Units of UN/ECE Recommendation 20; all others are counted as one (C62). */
const UNIT_CODES: { readonly [Unit in InvoiceLine['unit']]?: string } = {
  hours: 'HUR',
  days: 'DAY',
  weeks: 'WEE',
  months: 'MON',
  percent: 'P1',
}

/** A price is never negative (BR-27): what is taken back has a negative quantity. */
function lineOf(line: InvoiceLine, index: number, { currency, kind, tax, language }: InvoiceDocument): XmlValue {
  const { quantity, per, rateMicros, grossMicros, netMicros, orderName, orderId, lineId, reason } = line
  const isPriced = quantity !== undefined && rateMicros !== undefined && rateMicros >= 0
  const count = isPriced ? quantity : grossMicros < 0 ? -1 : 1
  const unitCode = (isPriced && UNIT_CODES[line.unit]) || 'C62'
  const { id, percent } = taxCategory(tax)
  const words = INVOICE_WORDS[language]
  const deductions = [[words.discount, line.discount] as const, [words.commission, line.commission] as const].flatMap(
    ([why, each]) => (each ? [{ why, micros: payableMicros(each.micros, currency) }] : []),
  )
  return {
    'cbc:ID': index + 1,
    'cbc:Note': rateNote(line, currency, words),
    [kind === 'credit_note' ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity']: { '#text': count, '@unitCode': unitCode },
    'cbc:LineExtensionAmount': money(netMicros, currency),
    'cac:AllowanceCharge': deductions.map(({ why, micros }) => ({
      'cbc:ChargeIndicator': micros < 0,
      'cbc:AllowanceChargeReason': why,
      'cbc:Amount': money(Math.abs(micros), currency),
    })),
    'cac:Item': {
      'cbc:Description': [words.kinds[line.kind], reason, line.serviceMonth, orderName, orderId, lineIdInOrder(orderId, lineId)]
        .filter((text) => text !== undefined && text !== '')
        .join(', '),
      'cbc:Name': line.name,
      'cac:ClassifiedTaxCategory': { 'cbc:ID': id, 'cbc:Percent': percent, 'cac:TaxScheme': { 'cbc:ID': 'VAT' } },
    },
    'cac:Price': {
      'cbc:PriceAmount': { '#text': decimal(isPriced ? rateMicros : Math.abs(grossMicros), 6), '@currencyID': currency },
      'cbc:BaseQuantity': isPriced && per !== 1 ? { '#text': per, '@unitCode': unitCode } : undefined,
    },
  }
}

/** What the price of a line is where it is an average, and the exact amount where quantity × price does not give it. */
function rateNote(
  line: Pick<InvoiceLine, 'rateBasis' | 'grossMicros'>,
  currency: string,
  words: InvoiceWords,
): string | undefined {
  const exact = (micros: number) => `${decimal(micros, 6)} ${currency}`
  const amount = exactAmountText(line, { words, exact })
  const { rateBasis } = line
  return isAverage(rateBasis) ? `${words.rate}: ${words.averages[rateBasis]}. ${amount}` : amount
}

function money(micros: number, currency: string): XmlValue {
  return { '#text': decimal(micros, minorDigits(currency)), '@currencyID': currency }
}

/** A decimal of so many digits, without an exponent. */
function decimal(micros: number, digits: number): string {
  return (micros / 1e6).toFixed(digits)
}
