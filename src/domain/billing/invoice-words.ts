import type { InvoicedUnit } from './flat-part.ts'
import type { AverageBasis, LineKind } from './invoice-document.ts'
import type { Tax } from './tax-rule.ts'

/** Languages that invoices are written in. */
export const INVOICE_LANGUAGES = ['en', 'de', 'sv'] as const
export type InvoiceLanguage = (typeof INVOICE_LANGUAGES)[number]

/** The language of a receiver in a country (ISO 3166-1): that of the country where it is one of these, else English. */
export function languageOf(country: string | undefined): InvoiceLanguage {
  if (country === 'DE' || country === 'AT') return 'de'
  return country === 'SE' ? 'sv' : 'en'
}

/** The form of numbers and days (BCP 47): that of the receiver's country in its language. */
export function localeOf(language: InvoiceLanguage, country: string | undefined): string {
  if (language === 'de') return country === 'AT' || country === 'CH' ? `de-${country}` : 'de-DE'
  if (language === 'sv') return 'sv-SE'
  return country === 'US' || country === 'CA' ? `en-${country}` : 'en-GB'
}

/** Everything that an invoice says beside names and figures. */
export interface InvoiceWords {
  readonly invoice: string
  readonly creditNote: string
  readonly number: string
  readonly issued: string
  readonly due: string
  readonly period: string
  readonly from: string
  readonly to: string
  readonly vatId: string
  readonly taxId: string
  readonly registration: string
  readonly refersTo: string
  readonly reason: string
  readonly purchaseOrder: string
  readonly account: string
  readonly order: string
  readonly line: string
  readonly month: string
  readonly quantity: string
  readonly rate: string
  /** What a rate is that is an average. */
  readonly averages: Readonly<Record<AverageBasis, string>>
  readonly exactAmount: (amount: string) => string
  readonly discount: string
  readonly commission: string
  readonly amount: string
  readonly net: string
  readonly vat: string
  readonly total: string
  readonly credited: string
  readonly exact: string
  readonly rounding: string
  readonly reports: string
  readonly sharedDays: (days: string) => string
  readonly bank: string
  readonly accountHolder: string
  readonly page: (page: string, of: string) => string
  readonly units: Readonly<Record<InvoicedUnit, string>>
  readonly kinds: Readonly<Record<LineKind, string>>
  readonly taxes: Readonly<Record<Exclude<Tax['kind'], 'rate' | 'exempt'>, string>>
}

const EN: InvoiceWords = {
  ...{ invoice: 'Invoice', creditNote: 'Credit note', number: 'Number', issued: 'Date', due: 'Due', period: 'Period of service' },
  ...{ from: 'From', to: 'To', vatId: 'VAT number', taxId: 'Tax number', registration: 'Registration number' },
  ...{ refersTo: 'For invoice', reason: 'Reason', purchaseOrder: 'Purchase order', account: 'Account', order: 'Order' },
  ...{ line: 'Line', month: 'Month', quantity: 'Quantity', rate: 'Rate', discount: 'Discount' },
  averages: {
    ...{ average: 'average', clearing_average: 'average of clearing prices' },
    budget_average: 'average: its budget was spent or its goal reached, the rest cost nothing',
  },
  exactAmount: (amount) => `Exact amount, the sum of its days: ${amount}`,
  ...{ commission: 'Agency commission', amount: 'Amount', net: 'Net total', vat: 'VAT', total: 'Payable', credited: 'Credited' },
  ...{ exact: 'Exact sum of the lines', bank: 'Please pay to', accountHolder: 'Account holder' },
  rounding: 'Lines are exact to a millionth and rounded so that they add up to the rounded net total; a half is rounded up.',
  reports: 'Reports of these deliveries, by day (UTC) and reporting_revision_id',
  sharedDays: (days) =>
    `Days of reports are UTC, the period of service is in the publisher’s time zone. Part of these days is billed with the month beside: ${days}.`,
  page: (page, of) => `Page ${page} of ${of}`,
  units: {
    ...{ impressions: 'impressions', viewable_impressions: 'viewable impressions', clicks: 'clicks', views: 'views' },
    ...{ completed_views: 'completed views', points: 'rating points', actions: 'actions', fee: 'flat price' },
    ...{ hours: 'hours', days: 'days', weeks: 'weeks', months: 'months', percent: '%' },
  },
  kinds: { delivery: 'Delivery', adjustment: 'Correction', charge: 'Charge', credit: 'Credit' },
  taxes: {
    reverse_charge: 'Reverse charge: VAT is owed by the customer (article 196 of Directive 2006/112/EC).',
    outside_scope: 'Not subject to VAT.',
  },
}

const DE: InvoiceWords = {
  ...{ invoice: 'Rechnung', creditNote: 'Rechnungskorrektur', number: 'Nummer', issued: 'Datum', due: 'Zahlbar bis' },
  ...{ period: 'Leistungszeitraum', from: 'Von', to: 'An', vatId: 'USt-IdNr.', taxId: 'Steuernummer' },
  ...{ registration: 'Registernummer', refersTo: 'Zu Rechnung', reason: 'Grund', purchaseOrder: 'Bestellnummer' },
  ...{ account: 'Konto', order: 'Auftrag', line: 'Position', month: 'Monat', quantity: 'Menge', rate: 'Preis' },
  averages: {
    ...{ average: 'Durchschnitt', clearing_average: 'Durchschnitt der Zuschlagspreise' },
    budget_average: 'Durchschnitt: Budget verbraucht oder Ziel erreicht, der Rest kostet nichts',
  },
  exactAmount: (amount) => `Genauer Betrag, die Summe der Tage: ${amount}`,
  ...{ discount: 'Rabatt', commission: 'Agenturprovision', amount: 'Betrag', net: 'Nettosumme' },
  ...{ vat: 'USt.', total: 'Zu zahlen', credited: 'Gutgeschrieben', exact: 'Genaue Summe der Positionen' },
  ...{ bank: 'Bitte zahlen Sie an', accountHolder: 'Kontoinhaber' },
  rounding:
    'Positionen sind auf ein Millionstel genau und so gerundet, dass sie die gerundete Nettosumme ergeben; eine Hälfte wird aufgerundet.',
  reports: 'Berichte über diese Lieferungen, nach Tag (UTC) und reporting_revision_id',
  sharedDays: (days) =>
    `Tage von Berichten sind UTC, der Leistungszeitraum gilt in der Zeitzone des Anbieters. Ein Teil dieser Tage wird mit dem Nachbarmonat berechnet: ${days}.`,
  page: (page, of) => `Seite ${page} von ${of}`,
  units: {
    ...{ impressions: 'Einblendungen', viewable_impressions: 'sichtbare Einblendungen', clicks: 'Klicks', views: 'Aufrufe' },
    ...{ completed_views: 'vollständige Aufrufe', points: 'Bewertungspunkte', actions: 'Aktionen', fee: 'Pauschale' },
    ...{ hours: 'Stunden', days: 'Tage', weeks: 'Wochen', months: 'Monate', percent: '%' },
  },
  kinds: { delivery: 'Leistung', adjustment: 'Korrektur', charge: 'Gebühr', credit: 'Gutschrift' },
  taxes: {
    reverse_charge: 'Steuerschuldnerschaft des Leistungsempfängers (Artikel 196 der Richtlinie 2006/112/EG).',
    outside_scope: 'Nicht umsatzsteuerbar.',
  },
}

const SV: InvoiceWords = {
  ...{ invoice: 'Faktura', creditNote: 'Kreditfaktura', number: 'Nummer', issued: 'Datum', due: 'Förfallodag' },
  ...{ period: 'Leveransperiod', from: 'Från', to: 'Till', vatId: 'Momsreg.nr', taxId: 'Skattenummer' },
  ...{ registration: 'Organisationsnummer', refersTo: 'Avser faktura', reason: 'Orsak', purchaseOrder: 'Inköpsordernummer' },
  ...{ account: 'Konto', order: 'Order', line: 'Rad', month: 'Månad', quantity: 'Antal', rate: 'Pris' },
  averages: {
    ...{ average: 'genomsnitt', clearing_average: 'genomsnitt av auktionspriserna' },
    budget_average: 'genomsnitt: budgeten var förbrukad eller målet nått, resten kostar inget',
  },
  exactAmount: (amount) => `Exakt belopp, summan av dagarna: ${amount}`,
  ...{ discount: 'Rabatt', commission: 'Byråprovision', amount: 'Belopp', net: 'Summa exkl. moms' },
  ...{ vat: 'Moms', total: 'Att betala', credited: 'Krediterat', exact: 'Radernas exakta summa' },
  ...{ bank: 'Betala till', accountHolder: 'Kontoinnehavare' },
  rounding:
    'Raderna är exakta på miljondelen och avrundade så att de ger den avrundade summan exkl. moms; en halv avrundas uppåt.',
  reports: 'Rapporter om dessa leveranser, efter dag (UTC) och reporting_revision_id',
  sharedDays: (days) =>
    `Rapporternas dagar är i UTC, leveransperioden i utgivarens tidszon. En del av dessa dagar faktureras med månaden intill: ${days}.`,
  page: (page, of) => `Sida ${page} av ${of}`,
  units: {
    ...{ impressions: 'visningar', viewable_impressions: 'synliga visningar', clicks: 'klick', views: 'videovisningar' },
    ...{ completed_views: 'fullständiga videovisningar', points: 'räckviddspoäng', actions: 'åtgärder', fee: 'fast pris' },
    ...{ hours: 'timmar', days: 'dagar', weeks: 'veckor', months: 'månader', percent: '%' },
  },
  kinds: { delivery: 'Leverans', adjustment: 'Rättelse', charge: 'Avgift', credit: 'Kreditering' },
  taxes: {
    reverse_charge: 'Omvänd betalningsskyldighet (artikel 196 i direktiv 2006/112/EG).',
    outside_scope: 'Omfattas inte av mervärdesskatt.',
  },
}

/** The words of invoices by language. */
export const INVOICE_WORDS: Readonly<Record<InvoiceLanguage, InvoiceWords>> = { en: EN, de: DE, sv: SV }

/** Why an invoice has no tax, in words; undefined: it has. */
export function taxText(tax: Tax, language: InvoiceLanguage): string | undefined {
  if (tax.kind === 'rate') return undefined
  return tax.kind === 'exempt' ? tax.reason : INVOICE_WORDS[language].taxes[tax.kind]
}
