import {
  type Claim,
  type CreditBalance,
  creditBalances,
  SETTLEMENT_STATES,
  type Settlement,
  settle,
} from '../../domain/billing/settlement.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { groupBy } from '../../domain/group-by.ts'
import { microsToAmount } from '../../domain/money.ts'
import { atOnce } from '../../platform/concurrency/steps.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listCreditNotes } from '../../store/billing/credit-notes.ts'
import { listInvoicePayments, settlementFacts } from '../../store/billing/invoice-payments.ts'
import { closedMonths, findInvoices } from '../../store/billing/invoices.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { DEFAULT_PAGE, month, oneOf, paged, required } from '../fields.ts'
import { publisherDay } from '../publisher-day.ts'
import { READERS } from '../roles.ts'
import { about, boolean, list, listOf, moment, number, type Of, object, orNull, pageMembers, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { table } from '../text-table.ts'
import { invoiceCsv } from './invoice-csv.ts'
import {
  invoicePage,
  type ListedInvoice,
  listedInvoice,
  type PaidInvoicePage,
  presentInvoice,
  presentPage,
  type ShownInvoice,
} from './invoice-shapes.ts'
import { presentPayment, presentState, readStates, stateText } from './invoice-state.ts'
import { namePayers } from './name-billed.ts'
import { nextToClose, publisherMonth } from './prepare-month.ts'
import { readInvoice } from './read-document.ts'

// Several acts in one file: a list, and one of its items in full.

/** The field that names an invoice. */
export const INVOICE = required(idText('id of the invoice'))

/** What is open of all invoices that a list is of, by currency. */
const openSum = object({ currency: string, open: number, overdue: number })

/** Customers of a currency that are named with what is left of their money; the sum is of all. */
const MOST_CREDITED = 100

/** Money of customers that no invoice asks for. */
const creditSum = about(
  'what customers paid or were credited beyond what their invoices ask for, whatever month or state was asked for: it settles their next invoices; `open` of all invoices less `credit` is what is receivable',
  object({
    currency: string,
    credit: number,
    accounts: about(
      `the ${MOST_CREDITED} with most`,
      listOf(object({ account: string, account_name: orNull(string), credit: number })),
    ),
  }),
)

/** Closed months and the invoices of a publisher, the newest month first. */
export const listInvoices = defineAct({
  name: 'billing.invoices',
  route: 'GET /billing/invoices',
  id: 'listInvoices',
  roles: READERS,
  summary: 'Invoices with their state and open amount, and closed months, the newest month first.',
  fields: {
    month: month('of one month, YYYY-MM'),
    account: OF_ACCOUNT,
    state: oneOf(SETTLEMENT_STATES, 'in one state; overdue: the day on which it was due has passed'),
    ...paged('invoices'),
  },
  answer: object({
    ...pageMembers(listedInvoice),
    open: listOf(openSum),
    credits: listOf(creditSum),
    months: listOf(object({ month: string, closed_at: moment, closed_by: string })),
    next_to_close: about('ended: it can be closed now', object({ month: string, ended: boolean })),
  }),
  command: {
    text: ({ items, open, credits }) => listedLines(items, open, credits),
  },
  async run(context, { month, account: accountId, state, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const months = await closedMonths(store.read, tenantId)
    const facts = await settlementFacts(store.read, tenantId, accountId)
    const states = settle(facts, await publisherDay(store.read, context))
    const listed = facts.claims
      .flatMap((claim) => {
        const settlement = states.get(claim.invoiceId)
        const isAsked = settlement && (state === undefined || settlement.state === state)
        return isAsked && (month === undefined || claim.month === month) ? [{ claim, settlement }] : []
      })
      .sort((a, b) => newestFirst(a.claim, b.claim))
    const bound = ['invoices', tenantId, month, accountId, state]
    const [ofMonth = '', id = ''] = decodeCursor(bound, cursor, 'cursor')?.split(' ') ?? []
    const isAfter = ({ claim }: (typeof listed)[number]) =>
      cursor === undefined || newestFirst(claim, { month: ofMonth, invoiceId: id }) > 0
    const rest = listed.filter(isAfter)
    const shown = rest.slice(0, limit)
    const last = rest.length > limit ? shown.at(-1)?.claim : undefined
    const next = last ? encodeCursor(bound, `${last.month} ${last.invoiceId}`) : null
    const ids = shown.map(({ claim }) => claim.invoiceId)
    const invoices = await findInvoices(store.read, tenantId, ids)
    const items = shown.flatMap(({ claim: { invoiceId }, settlement }) => {
      const invoice = invoices.get(invoiceId)
      return invoice ? [{ ...presentInvoice(invoice), ...presentState(settlement) }] : []
    })
    return {
      ...list(items, next),
      open: openSums(listed),
      credits: await creditSums(context, creditBalances(facts, states)),
      months: months.map(({ month: closed, closed_at, closed_by }) => ({ month: closed, closed_at, closed_by })).reverse(),
      next_to_close: nextToClose(
        months.map(({ month: closed }) => closed),
        await publisherMonth(context, tenantId),
      ),
    }
  },
})

/** The newest month first, and in a month in the order of the numbers. */
function newestFirst(a: Pick<Claim, 'month' | 'invoiceId'>, b: Pick<Claim, 'month' | 'invoiceId'>): number {
  if (a.month !== b.month) return a.month > b.month ? -1 : 1
  return a.invoiceId < b.invoiceId ? -1 : a.invoiceId > b.invoiceId ? 1 : 0
}

function openSums(listed: readonly { readonly claim: Claim; readonly settlement: Settlement }[]): Of<typeof openSum>[] {
  const sum = (of: typeof listed) => microsToAmount(of.reduce((all, { settlement }) => all + settlement.openMicros, 0))
  return [...groupBy(listed, ({ claim }) => claim.currency)]
    .map(([currency, own]) => ({
      currency,
      open: sum(own),
      overdue: sum(own.filter(({ settlement }) => settlement.state === 'overdue')),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

async function creditSums(context: ActContext, balances: readonly CreditBalance[]): Promise<Of<typeof creditSum>[]> {
  const byCurrency = [...groupBy(balances, ({ currency }) => currency)].sort(([a], [b]) => (a < b ? -1 : 1))
  const shown = byCurrency.map(([currency, own]) => ({ currency, own, first: own.slice(0, MOST_CREDITED) }))
  const ids = shown.flatMap(({ first }) => first.map(({ accountId }) => accountId))
  const names = await namePayers(context, context.tenantId, ids)
  return shown.map(({ currency, own, first }) => ({
    currency,
    credit: microsToAmount(own.reduce((sum, { micros }) => sum + micros, 0)),
    accounts: first.map(({ accountId: account, micros }) => {
      return { account, account_name: names.get(account) ?? null, credit: microsToAmount(micros) }
    }),
  }))
}

/** One invoice with its lines, state, payments and credit notes. Throws REFERENCE_NOT_FOUND. */
export const showInvoice = defineAct({
  name: 'billing.show',
  route: 'GET /billing/invoices/{invoice}',
  id: 'showInvoice',
  roles: READERS,
  summary: 'One invoice with its lines, state, payments and credit notes.',
  fields: { invoice: INVOICE },
  answer: invoicePage,
  command: { text: pageLines, csv: (invoice) => atOnce(invoiceCsv(invoice)) },
  async run(context, { invoice: id }) {
    const { store, tenantId } = context
    const read = await readInvoice(context.store.read, context.tenantId, id)
    const settlement = (await readStates(store.read, context, read.invoice.accountId)).get(id)
    if (!settlement) throw new Error(`invoice ${id} is in no closed month`)
    const payments = await listInvoicePayments(store.read, tenantId, id)
    const notes = await listCreditNotes(store.read, tenantId, id)
    const page = { ...(await inTurns(presentPage(read))), ...presentState(settlement) }
    await yieldToEventLoop()
    return { ...page, payments: payments.map(presentPayment), credit_notes: notes.map(presentInvoice) }
  },
})

/** Invoices as a table of the command line, with how they stand and what is open of them. */
function listedLines(
  invoices: readonly ListedInvoice[],
  open: readonly Of<typeof openSum>[],
  credits: readonly Of<typeof creditSum>[],
): readonly string[] {
  const rows = invoices.map((invoice) => {
    const { invoice_id, month, payable, currency, due_on } = invoice
    const amount = `${amountText(payable, currency)} ${currency}`
    return [invoice_id, month, ...payerCells(invoice), amount, due_on ?? '', stateText(invoice, currency)]
  })
  const sums = open.map(({ currency, open: sum, overdue }) => {
    return `${currency}: ${amountText(sum, currency)} open, of it ${amountText(overdue, currency)} overdue`
  })
  const left = credits.flatMap(({ currency, accounts }) =>
    accounts.map(
      ({ account, account_name: name, credit }) =>
        `${currency}: ${amountText(credit, currency)} of ${name ?? account} is left, and settles the next invoices`,
    ),
  )
  return [...table(['INVOICE', 'MONTH', 'NAME', 'ACCOUNT', 'PAYABLE WITH TAX', 'DUE', 'STATE'], rows), '', ...sums, ...left]
}

/** Invoices as a table of the command line. */
export function invoiceLines(invoices: readonly ShownInvoice[]): readonly string[] {
  const rows = invoices.map((invoice) => {
    const { invoice_id, month, payable, total, currency } = invoice
    return [invoice_id, month, ...payerCells(invoice), `${amountText(payable, currency)} ${currency}`, String(total)]
  })
  return table(['INVOICE', 'MONTH', 'NAME', 'ACCOUNT', 'PAYABLE WITH TAX', 'EXACT'], rows)
}

function payerCells({ account, account_name: name }: Pick<ShownInvoice, 'account' | 'account_name'>): readonly string[] {
  return [name ?? '', account]
}

/** The invoice as it reads, how it stands, and its payments. */
function pageLines({ reads, payments, credit_notes: credits, ...invoice }: PaidInvoicePage): readonly string[] {
  const { currency } = invoice
  const { title, facts, from, to, columns, rows, totals, bank, notes } = reads
  const pairs = (values: typeof facts) => values.map(({ name, value }) => `${name}: ${value}`)
  return [
    title,
    ...pairs(facts),
    '',
    ...[from, to].flatMap(([label = '', ...lines]) => [`${label}: ${lines.join(', ')}`]),
    '',
    ...table(
      columns.map((column) => column.toUpperCase()),
      rows.map((cells) => cells.map((cell) => cell.replaceAll('\n', '; '))),
    ),
    '',
    ...pairs(totals),
    ...pairs(bank),
    ...notes,
    '',
    `state: ${stateText(invoice, currency)}`,
    ...credits.map(({ invoice_id: id, payable }) => `credited by ${id}: ${amountText(-payable, currency)} ${currency}`),
    ...payments.map(({ date, amount, reference, payment_id, taken_back }) => {
      const note = [reference, taken_back && `taken back by ${taken_back.by}: ${taken_back.reason}`].filter(Boolean)
      return `paid ${date}: ${amountText(amount, currency)} ${currency} (${payment_id})${note.map((each) => `; ${each}`).join('')}`
    }),
  ]
}
