import { INVOICE_KINDS, type InvoiceLine, LINE_KINDS, RATE_BASES, rateBasisOf } from '../../domain/billing/invoice-document.ts'
import type { InvoiceParty } from '../../domain/billing/invoice-party.ts'
import { payableMicros } from '../../domain/billing/invoice-rounding.ts'
import { invoiceView } from '../../domain/billing/invoice-view.ts'
import { INVOICE_LANGUAGES, taxText } from '../../domain/billing/invoice-words.ts'
import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import { taxCategory } from '../../domain/billing/tax-rule.ts'
import { microsToAmount } from '../../domain/money.ts'
import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import type { Invoice } from '../../store/billing/invoices.ts'
import { about, integer, listOf, moment, named, number, type Of, object, openObject, orNull, string, word } from '../shape.ts'
import { paymentShape, stateMembers } from './invoice-state.ts'
import type { ReadInvoice } from './read-document.ts'

/** Money in units of `currency`. A negative total is a credit to the account. */
export const invoiceMembers = {
  invoice_id: string,
  month: string,
  account: string,
  account_name: about('as it was when the invoice was written; null: it had none', orNull(string)),
  currency: about('ISO 4217', string),
  total: about('the exact sum of the lines, without tax', number),
  rounding: about('from the exact sum to the smallest payable amount of the currency', number),
  tax: number,
  payable: about('the rounded sum and its tax', number),
  due_on: about('YYYY-MM-DD; null: a credit, or written before invoices had it', orNull(string)),
  created_at: moment,
  refers_to: about('the invoice that a credit note credits', orNull(string)),
}
/** An invoice of a list. */
export const invoiceShape = named('Invoice', object(invoiceMembers))
export type ShownInvoice = Of<typeof invoiceShape>

/** An invoice of the list, with how it stands. */
export const listedInvoice = named('ListedInvoice', object({ ...invoiceMembers, ...stateMembers }))
export type ListedInvoice = Of<typeof listedInvoice>

const partyShape = named(
  'InvoiceParty',
  object({
    name: string,
    address: orNull(object({ street: string, postal_code: string, city: string, region: orNull(string), country: string })),
    vat_id: orNull(string),
    tax_id: orNull(string),
    registration_number: orNull(string),
    email: orNull(string),
  }),
)

/** A line of an invoice. */
export const lineMembers = {
  kind: word(...LINE_KINDS),
  service_month: string,
  order_id: string,
  order_name: orNull(string),
  line_id: string,
  media_buy_id: about('an earlier name of `order_id`', string),
  package_id: about('an earlier name of `line_id`', string),
  product_id: string,
  name: string,
  po_number: orNull(string),
  reason: orNull(string),
  of_invoice: about(
    'the invoice that a correction corrects, or that bills what a credit gives back; null: none, or written before invoices kept it',
    orNull(string),
  ),
  unit: about(
    'what is counted; days, hours and percent: of a flat price, whose flight has `rate_units` days or hours (of a price by time, days at their rate); fee: the whole price, or an amount alone',
    string,
  ),
  quantity: orNull(number),
  rate: about('of so many units', orNull(number)),
  rate_units: integer,
  rate_basis: about(
    'agreed: quantity × rate is `gross` to the micro; sum_of_days: the agreed rate, `gross` is the sum of days that are exact to the micro each; clearing_average: an average of the prices at which an auction cleared; budget_average: the budget was spent, and what was delivered beyond it cost nothing; average: several rates held, or the amount was reported; null: no rate, or written before invoices kept it',
    orNull(word(...RATE_BASES)),
  ),
  gross: number,
  discount: number,
  commission: number,
  amount: about('exact, after discount and commission', number),
  payable: about('rounded so that the lines add up to the rounded sum', number),
}
const lineShape = object(lineMembers)
type ShownLine = Of<typeof lineShape>

const namedValues = listOf(object({ name: string, value: string }))

const documentMembers = {
  ...invoiceMembers,
  kind: word(...INVOICE_KINDS),
  issued_on: string,
  period: object({ first: string, last: string }),
  language: word(...INVOICE_LANGUAGES),
  publisher: partyShape,
  payer: partyShape,
  tax_code: about(
    'category of the tax (UNCL5305), such as S: at a rate, AE: reverse charge, E: exempt, O: outside the scope',
    string,
  ),
  tax_percent: orNull(number),
  tax_text: about('why there is no tax', orNull(string)),
  account_details: about('the account as it was when the month was closed', openObject({})),
  lines: about('they add up to the total to the micro', listOf(lineShape)),
  reports: about(
    'reports of the deliveries as they were when the invoice was written, by day in UTC',
    listOf(
      object({
        ...{ day: string, revision: string, digest: about('SHA-256', string), corrections: listOf(string) },
        shared_with: about(
          'the month of the publisher’s time zone that has a part of the day, which its invoice bills; null: no other month',
          orNull(string),
        ),
      }),
    ),
  ),
  reads: about(
    'the invoice as it reads, in the language and with the numbers of its receiver',
    object({
      title: string,
      facts: namedValues,
      from: listOf(string),
      to: listOf(string),
      columns: listOf(string),
      first_number: about('index of the first column of numbers', integer),
      rows: listOf(listOf(string)),
      totals: namedValues,
      bank: namedValues,
      notes: listOf(string),
    }),
  ),
}
const documentShape = object(documentMembers)
/** An invoice with its lines: the data of a printable page. */
export type InvoicePage = Of<typeof documentShape>

/** An invoice with its lines, how it stands, and its payments. */
export const invoicePage = object({
  ...documentMembers,
  ...stateMembers,
  payments: listOf(paymentShape),
  credit_notes: about('that people wrote of it', listOf(invoiceShape)),
})
export type PaidInvoicePage = Of<typeof invoicePage>

export function presentInvoice(invoice: Invoice): ShownInvoice {
  const { invoiceId, month, accountId, account, currency, totalMicros, createdAt, dueOn } = invoice
  const netMicros = payableMicros(totalMicros, currency)
  const owedMicros = invoice.payableMicros ?? netMicros
  return {
    invoice_id: invoiceId,
    month,
    account: accountId,
    account_name: typeof account.name === 'string' ? account.name : null,
    currency,
    total: microsToAmount(totalMicros),
    rounding: microsToAmount(netMicros - totalMicros),
    tax: microsToAmount(owedMicros - netMicros),
    payable: microsToAmount(owedMicros),
    due_on: dueOn ?? null,
    created_at: createdAt,
    refers_to: invoice.refersTo ?? null,
  }
}

/** Amounts of a credit are negative, as in the totals of lists. */
export function* presentPage({ invoice, document }: ReadInvoice): Steps<InvoicePage> {
  const { kind, issuedOn: issued_on, period, language, seller, buyer, tax } = document
  const { facts, totals, bank, firstNumber: first_number, ...view } = yield* invoiceView(document)
  const named = (pairs: typeof facts) => pairs.map(([name, value]) => ({ name, value }))
  const sign = kind === 'credit_note' ? -1 : 1
  return {
    ...presentInvoice(invoice),
    ...{ kind, issued_on, period, language },
    publisher: presentParty(seller),
    payer: presentParty(buyer),
    tax_code: taxCategory(tax).id,
    tax_percent: tax.kind === 'rate' ? tax.percent : null,
    tax_text: taxText(tax, language) ?? null,
    account_details: { ...invoice.account },
    lines: yield* mapSteps(document.lines, (line) => presentLine(line, sign)),
    reports: (document.reports ?? []).map(({ day, revisionId: revision, digest, corrections, sharedWith }) => {
      return { day, revision, digest, corrections: [...corrections], shared_with: sharedWith ?? null }
    }),
    reads: { ...view, first_number, facts: named(facts), totals: named(totals), bank: named(bank) },
  }
}

function presentParty({ name, address, vatId, taxId, registrationNumber, email }: InvoiceParty): Of<typeof partyShape> {
  const { street = '', postalCode: postal_code = '', city = '', region = null, country = '' } = address ?? {}
  return {
    name,
    address: address ? { street, postal_code, city, region, country } : null,
    vat_id: vatId ?? null,
    tax_id: taxId ?? null,
    registration_number: registrationNumber ?? null,
    email: email ?? null,
  }
}

/** A line with the amounts of lists; `sign`: -1 for what a credit note gives back. */
export function presentLine(line: InvoiceLine, sign: 1 | -1): ShownLine {
  const { kind, serviceMonth, orderId, orderName, lineId, productId, name, poNumber, reason, unit, quantity, rateMicros, per } =
    line
  const line_id = lineIdInOrder(orderId, lineId)
  const amount = (micros: number) => microsToAmount(sign * micros || 0)
  return {
    ...{ kind, service_month: serviceMonth, order_id: orderId, order_name: orderName ?? null, line_id },
    ...{ media_buy_id: orderId, package_id: line_id },
    ...{ product_id: productId, name, po_number: poNumber ?? null, reason: reason ?? null },
    of_invoice: line.ofInvoice ?? null,
    unit,
    quantity: quantity === undefined ? null : sign * quantity || 0,
    rate: rateMicros === undefined ? null : microsToAmount(rateMicros),
    rate_units: per,
    rate_basis: rateBasisOf(line) ?? null,
    gross: amount(line.grossMicros),
    discount: amount(line.discount?.micros ?? 0),
    commission: amount(line.commission?.micros ?? 0),
    amount: amount(line.exactMicros),
    payable: amount(line.netMicros),
  }
}
