import { groupBy } from '../group-by.ts'
import { microsToAmount } from '../money.ts'
import type { Account } from './account.ts'
import type { PaymentTerms } from './account-document.ts'
import {
  accrualOf,
  type Billing,
  type DayAmount,
  monthOf,
  numberedInvoices,
  owedOf,
  standingOf,
  sum,
} from './numbered-invoices.ts'
import { NET_DAYS } from './payment-terms.ts'
import type { Balance, Credit, Financials, Invoice, OtherCurrency, PaymentStatus, Period } from './shown-financials.ts'

/** A payment into an account, or a top-up of a prepaid one. */
export type Payment = DayAmount

/** What an account's finances are made of. */
export interface FinancialFacts {
  readonly account: Account
  /** What was spent so far: delivery and reported use. */
  readonly charges: readonly DayAmount[]
  /** What was charged beside it so far, such as fees of cancellations; less than zero: credits. */
  readonly fees: readonly DayAmount[]
  readonly payments: readonly Payment[]
  /** Days on which each media buy delivered; one entry a buy. */
  readonly deliveryDays: readonly (readonly string[])[]
  /** The currency of an order in it; absent: it has none. */
  readonly orderCurrency?: string
  /** What its invoices say; absent: the publisher closes no months here, or the account is one of a sandbox, which is never invoiced. */
  readonly billing?: Billing
}

/** Invoices shown: a year and the month that runs. */
const MOST_INVOICES = 13

/** The calendar month of a day: the billing cycle. */
export function billingCycle(today: string): Period {
  return monthOf(today.slice(0, 7))
}

/** What an account owes in one currency, and its invoices, the earliest first. */
interface Book {
  readonly currency: string
  readonly invoices: readonly Invoice[]
  readonly owedMicros: number
}

/** The books of an account: one for each currency that it has money or a limit in. */
function booksOf(facts: FinancialFacts, today: string): Book[] {
  const { charges, fees, payments, billing, orderCurrency } = facts
  const { credit_limit: limit, payment_terms: terms } = facts.account.document
  const money = [...charges, ...fees, ...payments, ...(billing?.claims ?? []), ...(billing?.unbilled ?? [])]
  const found = new Set(money.map(({ currency }) => currency))
  if (limit) found.add(limit.currency)
  if (found.size === 0) found.add(orderCurrency ?? 'USD')
  return [...found].sort().map((currency) => {
    const charged = [...charges, ...fees].filter((charge) => charge.currency === currency)
    const paid = payments.filter((payment) => payment.currency === currency)
    return {
      currency,
      invoices: billing ? numberedInvoices(billing, currency) : invoicesOf(charged, paid, terms, today),
      owedMicros: (billing ? owedOf(billing, currency) : sum(charged)) - sum(paid),
    }
  })
}

/**
 * The currency of an answer, which the protocol has one of: that of the credit limit, else of the invoice that is longest overdue, else of the oldest unpaid one, else of the latest charge, else of an
 * order, else of the latest payment. The other currencies are told in `ext` (see `otherCurrencies`).
 */
function currencyOf({ account, charges, fees, payments, orderCurrency }: FinancialFacts, books: readonly Book[]): string {
  const oldest = (status: Invoice['status']) =>
    books
      .flatMap(({ currency, invoices }) => invoices.map((invoice) => ({ ...invoice, currency })))
      .filter((invoice) => invoice.status === status)
      .toSorted((a, b) => ((a.due_date ?? a.period.end) < (b.due_date ?? b.period.end) ? -1 : 1))[0]
  const latest = (money: readonly DayAmount[]) => money.toSorted((a, b) => (a.day < b.day ? 1 : -1))[0]
  const first = oldest('past_due') ?? oldest('issued') ?? latest([...charges, ...fees])
  return account.document.credit_limit?.currency ?? first?.currency ?? orderCurrency ?? latest(payments)?.currency ?? 'USD'
}

/**
 * Financial status of an account (AdCP get-account-financials-response) for the spend of `period`. All days are those of `timeZone`, which is that of the publisher's invoices, `today` too. Fees are no
 * spend: they are in what is owed and in `ext.fees`.
 */
export function financialsOf(facts: FinancialFacts, period: Period, { today, timeZone }: Today): Financials {
  const { account, deliveryDays, billing } = facts
  const books = booksOf(facts, today)
  const currency = currencyOf(facts, books)
  const { invoices = [], owedMicros = 0 } = books.find((book) => book.currency === currency) ?? {}
  const others = books.filter((book) => book.currency !== currency)
  const payments = facts.payments.filter((payment) => payment.currency === currency)
  const { payment_terms: terms, credit_limit: limit } = account.document
  const ext = {
    ...otherCurrencies(facts, others, period),
    ...feesIn(facts, period),
    ...(billing &&
      standingOf(
        billing,
        [invoices, ...others.map((book) => book.invoices)].flatMap((all) => recent(all)),
      )),
  }
  return {
    currency,
    period: { ...period },
    timezone: timeZone,
    spend: {
      total_spend: spendOf(facts.charges, currency, period),
      media_buy_count: deliveryDays.filter((days) => days.some((day) => isIn(day, period))).length,
    },
    ...(limit && terms !== 'prepay' && { credit: creditOf(limit.amount, owedMicros) }),
    ...(terms === 'prepay' && { balance: balanceOf(owedMicros, payments) }),
    payment_status: paymentStatus(
      account,
      books.flatMap((book) => book.invoices),
    ),
    ...(terms && { payment_terms: terms }),
    invoices: recent(invoices),
    ...(Object.keys(ext).length > 0 && { ext }),
  }
}

/** The invoices that an answer has, the latest first. */
function recent(invoices: readonly Invoice[]): Invoice[] {
  return invoices.slice(-MOST_INVOICES).toReversed()
}

/** The day that it is, and the time zone of the days. */
export interface Today {
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** IANA. */
  readonly timeZone: string
}

/** What was charged in a period beside the spend, by currency; credits are less than zero. */
function feesIn({ fees }: FinancialFacts, period: Period): { fees?: readonly { currency: string; amount: number }[] } {
  const inPeriod = groupBy(
    fees.filter(({ day }) => isIn(day, period)),
    ({ currency }) => currency,
  )
  const amounts = [...inPeriod]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => ({ currency, amount: microsToAmount(sum(own)) }))
    .filter(({ amount }) => amount !== 0)
  return amounts.length > 0 ? { fees: amounts } : {}
}

function creditOf(creditLimit: number, owedMicros: number): Credit {
  const outstanding = microsToAmount(Math.max(0, owedMicros))
  const used = creditLimit > 0 ? (outstanding / creditLimit) * 100 : outstanding > 0 ? 100 : 0
  return {
    credit_limit: creditLimit,
    available_credit: microsToAmount(Math.round(creditLimit * 1_000_000) - Math.max(0, owedMicros)),
    utilization_percent: Math.min(100, Math.round(used * 100) / 100),
  }
}

function balanceOf(owedMicros: number, payments: readonly Payment[]): Balance {
  const last = payments.at(-1)
  return {
    available: microsToAmount(Math.max(0, -owedMicros)),
    ...(last && { last_top_up: { amount: microsToAmount(last.micros), date: last.day } }),
  }
}

/**
 * One invoice a month with charges, the earliest first: a draft while the month runs. Payments settle the oldest first, so an invoice is paid on
 * the day on which everything up to it was.
 */
function invoicesOf(
  charges: readonly DayAmount[],
  payments: readonly Payment[],
  terms: PaymentTerms | undefined,
  today: string,
): Invoice[] {
  const byMonth = new Map<string, number>()
  for (const { day, micros } of charges) byMonth.set(day.slice(0, 7), (byMonth.get(day.slice(0, 7)) ?? 0) + micros)
  let upTo = 0
  return [...byMonth]
    .filter(([, micros]) => micros > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, micros]): Invoice => {
      upTo += micros
      const head = accrualOf(month, micros)
      const { period } = head
      if (period.end >= today) return { ...head, status: 'draft' }
      const due = terms && { due_date: dayAfter(period.end, NET_DAYS[terms]) }
      const paidOn = dayOfPayment(payments, upTo)
      if (paidOn !== undefined) return { ...head, status: 'paid', ...due, paid_date: paidOn }
      return { ...head, status: due && due.due_date < today ? 'past_due' : 'issued', ...due }
    })
}

/** Day of the payment with which payments reach an amount. */
function dayOfPayment(payments: readonly Payment[], amountMicros: number): string | undefined {
  let paid = 0
  return payments.find(({ micros }) => {
    paid += micros
    return paid >= amountMicros
  })?.day
}

function paymentStatus({ status }: Account, invoices: readonly Invoice[]): PaymentStatus {
  if (status === 'suspended') return 'suspended'
  return status === 'payment_required' || invoices.some((invoice) => invoice.status === 'past_due') ? 'past_due' : 'current'
}

/** The books in currencies that the answer is not in. */
function otherCurrencies({ charges }: FinancialFacts, books: readonly Book[], period: Period) {
  const others = books
    .map(
      ({ currency, owedMicros, invoices }): OtherCurrency => ({
        currency,
        total_spend: spendOf(charges, currency, period),
        owed: microsToAmount(owedMicros),
        ...(invoices.length > 0 && { invoices: recent(invoices) }),
      }),
    )
    .filter(({ total_spend, owed, invoices }) => total_spend > 0 || owed !== 0 || invoices)
  return others.length > 0 && { other_currencies: others }
}

/** What was charged in a period; nothing where credits are more: the protocol knows no spend below nothing, and what is owed has them. */
function spendOf(charges: readonly DayAmount[], currency: string, period: Period): number {
  return microsToAmount(Math.max(0, sum(charges.filter((charge) => charge.currency === currency && isIn(charge.day, period)))))
}

function isIn(day: string, { start, end }: Period): boolean {
  return day >= start && day <= end
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}
