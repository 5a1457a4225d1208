import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import { minorDigits } from '../money.ts'
import { type InvoiceDocument, type InvoiceLine, isAverage, precedingInvoices, rateBasisOf } from './invoice-document.ts'
import { addressLines, countryOf, type InvoiceParty } from './invoice-party.ts'
import { INVOICE_WORDS, type InvoiceWords, localeOf, taxText } from './invoice-words.ts'
import { lineIdInOrder } from './line-id.ts'

/** A name and its value. */
export type Named = readonly [name: string, value: string]

/** An invoice as it reads: in the language, and with the numbers and days, of its receiver. */
export interface InvoiceView {
  readonly title: string
  readonly facts: readonly Named[]
  readonly from: readonly [title: string, ...lines: string[]]
  readonly to: readonly [title: string, ...lines: string[]]
  /** Headings of the lines; the last ones, from `firstNumber` on, are of numbers. */
  readonly columns: readonly string[]
  readonly firstNumber: number
  readonly rows: readonly (readonly string[])[]
  readonly totals: readonly Named[]
  readonly bank: readonly Named[]
  readonly notes: readonly string[]
}

/** Texts of numbers and days in the form of the receiver. */
interface Forms {
  readonly words: InvoiceWords
  readonly locale: string
  readonly money: (micros: number) => string
  readonly exact: (micros: number) => string
  readonly number: (value: number) => string
  readonly day: (day: string) => string
}

/** In steps: an invoice may have thousands of lines. */
export function* invoiceView(document: InvoiceDocument): Steps<InvoiceView> {
  const forms = formsOf(document)
  const { words, money, exact } = forms
  const { kind, seller, buyer, tax, language, lines } = document
  const reason = taxText(tax, language)
  const last: Named = [kind === 'invoice' ? words.total : words.credited, money(document.payableMicros)]
  const share = tax.kind === 'rate' ? `${words.vat} ${forms.number(tax.percent)} %` : words.vat
  return {
    title: `${kind === 'invoice' ? words.invoice : words.creditNote} ${document.number}`,
    facts: factsOf(document, forms),
    from: [words.from, ...partyLines(seller, forms)],
    to: [words.to, ...partyLines(buyer, forms)],
    columns: [words.line, words.month, words.quantity, words.rate, words.amount],
    firstNumber: 2,
    rows: yield* mapSteps(lines, (line) => rowOf(line, forms)),
    totals: [
      ...(document.exactMicros === document.netMicros ? [] : [[words.exact, exact(document.exactMicros)] as const]),
      [words.net, money(document.netMicros)],
      [share, money(document.taxMicros)],
      last,
    ],
    bank: kind === 'invoice' ? bankOf(seller, words) : [],
    notes: [
      ...(reason === undefined ? [] : [reason]),
      ...(document.exactMicros === document.netMicros ? [] : [words.rounding]),
      ...reportNotes(document, words),
    ],
  }
}

/** Reports of one note: more would be cut on the page. */
const REPORTS_OF_NOTE = 20

function reportNotes({ reports = [] }: InvoiceDocument, words: InvoiceWords): readonly string[] {
  const named = reports.map(({ day, revisionId, corrections }) => [`${day} ${revisionId}`, ...corrections].join(' + '))
  const notes = Array.from({ length: Math.ceil(named.length / REPORTS_OF_NOTE) }, (_, index) => {
    const part = named.slice(index * REPORTS_OF_NOTE, (index + 1) * REPORTS_OF_NOTE)
    return `${words.reports}: ${part.join(', ')}`
  })
  const shared = reports.flatMap(({ day, sharedWith: month }) => (month === undefined ? [] : [`${day} (${month})`]))
  return shared.length === 0 ? notes : [...notes, words.sharedDays([...new Set(shared)].join(', '))]
}

/** An amount as a currency has it, in the form of a locale. */
function formsOf({ language, buyer, currency }: InvoiceDocument): Forms {
  const locale = localeOf(language, countryOf(buyer))
  const amounts = (digits: number, most: number) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: most })
  const digits = minorDigits(currency)
  const [payable, exact, number] = [amounts(digits, digits), amounts(digits, 6), amounts(0, 3)]
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  return {
    words: INVOICE_WORDS[language],
    locale,
    money: (micros) => `${payable.format(micros / 1e6)} ${currency}`,
    exact: (micros) => `${exact.format(micros / 1e6)} ${currency}`,
    number: (value) => number.format(value),
    day: (day) => days.format(new Date(`${day}T00:00:00.000Z`)),
  }
}

function factsOf(document: InvoiceDocument, { words, day }: Forms): readonly Named[] {
  const { kind, issuedOn, dueOn, period, reason, buyerReference, lines } = document
  const orders = [...new Set(lines.flatMap(({ poNumber }) => poNumber ?? []))]
  const credited = kind === 'credit_note' ? precedingInvoices(document) : []
  return [
    [words.issued, day(issuedOn)],
    ...(dueOn === undefined ? [] : [[words.due, day(dueOn)] as const]),
    [words.period, `${day(period.first)} – ${day(period.last)}`],
    ...(credited.length === 0 ? [] : [[words.refersTo, credited.join(', ')] as const]),
    ...(reason === undefined ? [] : [[words.reason, reason] as const]),
    ...(orders.length === 1 ? [[words.purchaseOrder, orders[0] ?? ''] as const] : []),
    [words.account, buyerReference],
  ]
}

function partyLines(party: InvoiceParty, { words, locale }: Pick<Forms, 'words' | 'locale'>): readonly string[] {
  const { name, address, vatId, taxId, registrationNumber, email, phone } = party
  const named = (label: string, value: string | undefined) => (value === undefined ? [] : [`${label}: ${value}`])
  return [
    name,
    ...(address ? addressLines(address, locale) : []),
    ...named(words.vatId, vatId),
    ...named(words.taxId, taxId),
    ...named(words.registration, registrationNumber),
    ...[email ?? [], phone ?? []].flat(),
  ]
}

/** What is billed with its ids and deductions as they are payable (of what a correction gives back they are given up), the month, the quantity, the rate, the amount after deductions. */
function rowOf(line: InvoiceLine, { words, money, exact, number }: Forms): readonly string[] {
  const { per, rateMicros, unit, discount, commission } = line
  const basis = rateBasisOf(line)
  const buys =
    per === 1
      ? ''
      : ` / ${number(per)}${unit === 'days' || unit === 'hours' || unit === 'percent' ? ` ${words.units[unit]}` : ''}`
  const price = rateMicros === undefined ? '' : `${exact(rateMicros)}${buys}`
  const deducted = [[words.discount, discount] as const, [words.commission, commission] as const].flatMap(([name, each]) =>
    each ? [`${name} ${number(each.percent)} %: ${each.micros < 0 ? '+' : '−'}${money(Math.abs(each.micros))}`] : [],
  )
  const kind = line.kind === 'delivery' ? [] : [words.kinds[line.kind]]
  const order = [words.order, line.orderName, line.orderId].filter((text) => text !== undefined).join(' ')
  const named = [[words.purchaseOrder, line.poNumber] as const, [words.refersTo, line.ofInvoice] as const].flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name} ${value}`]),
  )
  return [
    [
      line.name,
      [...kind, line.reason ?? []].flat().join(': '),
      [order, lineIdInOrder(line.orderId, line.lineId)].filter((text) => text !== '').join(', '),
      ...named,
      exactAmountText(line, { words, exact }) ?? '',
      ...deducted,
    ]
      .filter((text) => text !== '')
      .join('\n'),
    line.serviceMonth,
    quantityText(line, { words, number }),
    isAverage(basis) ? `${price} (${words.averages[basis]})` : price,
    money(line.netMicros),
  ]
}

/** The exact amount of a line before deductions, where quantity × rate does not give it to the micro; undefined: it does, or the line is from before invoices kept what the rate is. */
export function exactAmountText(
  { rateBasis, grossMicros }: Pick<InvoiceLine, 'rateBasis' | 'grossMicros'>,
  { words, exact }: Pick<Forms, 'words' | 'exact'>,
): string | undefined {
  return rateBasis === undefined || rateBasis === 'agreed' ? undefined : words.exactAmount(exact(grossMicros))
}

/** What is counted, in words. A charge or a credit is an amount, and no flat price. */
function quantityText({ kind, quantity, unit }: InvoiceLine, { words, number }: Pick<Forms, 'words' | 'number'>): string {
  if (unit !== 'fee') return quantity === undefined ? '' : `${number(quantity)} ${words.units[unit]}`
  if (kind === 'charge' || kind === 'credit') return quantity === undefined ? '' : number(quantity)
  return quantity === undefined || quantity === 1 ? words.units.fee : `${number(quantity)} ${words.units.fee}`
}

function bankOf({ name, bank }: InvoiceParty, words: InvoiceWords): readonly Named[] {
  if (!bank) return []
  const { accountHolder = name, iban, bic } = bank
  return [
    [words.accountHolder, accountHolder],
    ...(iban === undefined ? [] : [['IBAN', iban.replaceAll(/(.{4})(?=.)/g, '$1 ')] as const]),
    ...(bic === undefined ? [] : [['BIC', bic] as const]),
  ]
}
