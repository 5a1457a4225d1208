import { monthBefore } from '../../domain/billing/billing-lines.ts'
import type { InvoiceLine, LineKind } from '../../domain/billing/invoice-document.ts'
import { countryOf } from '../../domain/billing/invoice-party.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { groupBy } from '../../domain/group-by.ts'
import { microsToAmount } from '../../domain/money.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listInvoicesOfMonth } from '../../store/billing/invoices.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { findShortLines } from '../orders/find-shortfalls.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, named, number, type Of, object, string, word } from '../shape.ts'
import { table } from '../text-table.ts'
import { invoiceMembers, presentInvoice } from './invoice-shapes.ts'
import { issuerOf } from './make-invoice.ts'
import type { BilledNames } from './name-billed.ts'
import { partyFindings } from './party-findings.ts'
import { adjustmentShape, presentAdjustment } from './pending-adjustments.ts'
import { bookOf, digestOf, MONTH, type PreparedInvoice, prepareMonth } from './prepare-month.ts'
import { taxFindings } from './tax-findings.ts'

/** What a person should look at before a month is closed. */
const FINDINGS = [
  'no_billing_entity',
  'no_country',
  'several_parties',
  'unclear_party',
  'tax_changed',
  'shortfall',
  'gone_account',
] as const

const previewShape = named(
  'MonthPreview',
  about(
    'What closing a month would come to now; money in units of the currency beside it.',
    object({
      month: string,
      digest: about('names these invoices: closing with it is refused when they have become others', string),
      invoices: listOf(
        object({
          ...invoiceMembers,
          lines: integer,
          adjustments: about('of the total: corrections of earlier months, less discount and commission', number),
          charges: about('of the total: fees and credits beside what was delivered', number),
          before: about('what the account was invoiced for the month before, before tax as `total`', number),
        }),
      ),
      totals: listOf(
        object({ currency: about('ISO 4217', string), total: number, before: about('of the month before', number) }),
      ),
      adjustments: about('corrections of months that are closed, as they would be invoiced', listOf(adjustmentShape)),
      findings: about(
        'what a person should look at before closing',
        listOf(object({ kind: word(...FINDINGS), subject: string, text: string })),
      ),
    }),
  ),
)
export type MonthPreview = Of<typeof previewShape>

/** Nothing is stored. Throws what closing throws. */
export const previewMonth = defineAct({
  name: 'billing.preview',
  route: 'GET /billing/months/{month}/preview',
  id: 'previewMonth',
  roles: READERS,
  summary:
    'What closing a month would write: its invoices, corrections, findings, and the month before for comparison. Nothing is stored.',
  fields: { month: MONTH },
  answer: previewShape,
  command: { text: previewLines },
  async run(context, { month }) {
    const { store, tenantId } = context
    const prepared = await prepareMonth(context, tenantId, month)
    const { invoicing } = await issuerOf(context, tenantId)
    const before = await listInvoicesOfMonth(store.read, tenantId, monthBefore(month))
    const earlier = groupBy(before, bookOf)
    const invoices: MonthPreview['invoices'][number][] = []
    const taxes: MonthPreview['findings'][number][] = []
    for (const each of prepared) {
      await giveWay()
      const own = each.isTaxedApart ? [] : (earlier.get(bookOf(each.invoice)) ?? [])
      invoices.push(presentPrepared(each, own))
      taxes.push(...taxFindings(each, own, invoicing.taxRules))
    }
    const currencies = [...new Set([...prepared.map(({ invoice }) => invoice), ...before].map(({ currency }) => currency))].sort()
    const sum = (of: readonly { readonly currency: string; readonly totalMicros: number }[], currency: string) =>
      microsToAmount(of.reduce((all, each) => (each.currency === currency ? all + each.totalMicros : all), 0))
    return {
      month,
      digest: await digestOf(prepared),
      invoices,
      totals: currencies.map((currency) => ({
        currency,
        total: sum(
          prepared.map(({ invoice }) => invoice),
          currency,
        ),
        before: sum(before, currency),
      })),
      adjustments: prepared.flatMap(adjustmentsOf),
      findings: [
        ...prepared.flatMap(findingsOf),
        ...(await partyFindings(context, prepared)),
        ...taxes,
        ...(await missedGoals(context, month)),
      ],
    }
  },
})

/** `own`: what the payer was billed in the month before. */
function presentPrepared(
  { invoice, document }: PreparedInvoice,
  own: readonly PreparedInvoice['invoice'][],
): MonthPreview['invoices'][number] {
  const sum = (of: readonly { readonly micros: number }[]) => microsToAmount(of.reduce((all, { micros }) => all + micros, 0))
  const sign = document.kind === 'credit_note' ? -1 : 1
  const partOf = (...kinds: readonly LineKind[]) =>
    sum(document.lines.filter(({ kind }) => kinds.includes(kind)).map(({ exactMicros }) => ({ micros: sign * exactMicros })))
  return {
    ...presentInvoice(invoice),
    lines: document.lines.length,
    adjustments: partOf('adjustment'),
    charges: partOf('charge', 'credit'),
    before: sum(own.map(({ totalMicros: micros }) => ({ micros }))),
  }
}

function adjustmentsOf({ invoice, lines, document }: PreparedInvoice): MonthPreview['adjustments'] {
  return lines.flatMap((line, index) =>
    line.serviceMonth === invoice.month
      ? []
      : presentAdjustment(line, document.lines[index]?.reason, namesOf(invoice, document.lines[index])),
  )
}

/** What the ids of a correction stand for, as its invoice says it. */
function namesOf({ account: { name } }: PreparedInvoice['invoice'], line: InvoiceLine | undefined): BilledNames {
  const account_name = typeof name === 'string' ? name : null
  return { account_name, order_name: line?.orderName ?? null, product_name: line?.name ?? null }
}

function findingsOf(prepared: PreparedInvoice): MonthPreview['findings'] {
  const { accountId, account, invoiceId } = prepared.invoice
  if (account.name === undefined && account.brand === undefined)
    return [
      { kind: 'gone_account', subject: accountId, text: `account ${accountId} of invoice ${invoiceId} is not there any more` },
    ]
  const unplaced = unplacedFindings(prepared)
  if (account.billing_entity !== undefined || isParty(accountId)) return unplaced
  const message = `account ${accountId} has no billing entity: invoice ${invoiceId} says no legal name, address or VAT number of who pays`
  return [{ kind: 'no_billing_entity', subject: accountId, text: message }, ...unplaced]
}

/** A payer whose country is unknown is charged the publisher's own rate of tax. */
function unplacedFindings({ invoice, document: { buyer, tax } }: PreparedInvoice): MonthPreview['findings'] {
  if (tax.kind !== 'rate' || countryOf(buyer) !== undefined) return []
  const message = `nothing says in which country ${buyer.name} is: invoice ${invoice.invoiceId} is taxed with ${tax.percent} %; an address or a VAT number decides`
  return [{ kind: 'no_country', subject: invoice.accountId, text: message }]
}

/** Lines that ended in the month below what was ordered: who bought them may ask for something. */
async function missedGoals(context: ActContext, month: string): Promise<MonthPreview['findings']> {
  const days = Math.ceil((context.clock().getTime() - Date.parse(`${month}-01`)) / DAY_MS) + 1
  const missed = await findShortLines(context, context.tenantId, days)
  return missed
    .map(({ shown }) => shown)
    .filter(({ flight }) => flight.last.day.startsWith(month))
    .map(({ order_id, line_id, name, ordered, delivered, unit, currency }) => {
      const text = (amount: number) => amountText(amount, currency)
      const what =
        unit === 'money' ? `${text(delivered)} of ${text(ordered)} ${currency}` : `${delivered} of ${ordered} impressions`
      const of = name === null ? order_id : `${name} (${order_id})`
      return { kind: 'shortfall' as const, subject: order_id, text: `line ${line_id} of ${of} ended with ${what}` }
    })
}

function previewLines({ month, invoices, totals, adjustments, findings, digest }: MonthPreview): readonly string[] {
  const money = (amount: number, currency: string) => `${amountText(amount, currency)} ${currency}`
  const rows = invoices.map(
    ({ invoice_id, account, account_name: name, total, payable, adjustments: corrections, charges, before, currency }) => [
      ...[invoice_id, name ?? account],
      ...[total, corrections, charges, before, payable].map((amount) => money(amount, currency)),
    ],
  )
  return [
    `closing ${month} would write ${invoices.length} invoices (digest ${digest}); nothing is stored`,
    '',
    ...table(
      ['INVOICE', 'ACCOUNT', 'BEFORE TAX', 'OF IT CORRECTIONS', 'OF IT CHARGES', 'MONTH BEFORE', 'PAYABLE WITH TAX'],
      rows,
    ),
    '',
    ...totals.map(({ currency, total, before }) => `${currency} before tax: ${total}, month before ${before}`),
    ...adjustments.map(
      (each) =>
        `correction of ${each.service_month}: ${each.order_name ?? ''} ${each.order_id} ${each.line_id} ${each.amount} ${each.currency}${each.reason === null ? '' : ` (${each.reason})`}`,
    ),
    ...findings.map(({ text: finding }) => `! ${finding}`),
  ]
}
