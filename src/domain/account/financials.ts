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
import type { Balance, Credit, Financials, Invoice, PaymentStatus, Period } from './shown-financials.ts'

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

/**
 * The currency of an account's books: that of its credit limit, else of the latest payment or charge, else of an order, else US dollars. Amounts in other currencies
 * are separated (see `otherCurrencies`).
 */
function bookCurrency({ account, charges, fees, payments, orderCurrency }: FinancialFacts): string {
  const latest = [...charges, ...fees, ...payments].toSorted((a, b) => (a.day < b.day ? 1 : -1))[0]
  return account.document.credit_limit?.currency ?? latest?.currency ?? orderCurrency ?? 'USD'
}

/**
 * Financial status of an account (AdCP get-account-financials-response) for the spend of `period`. All days are those of `timeZone`, which is that of the publisher's invoices, `today` too. Fees are no
 * spend: they are in what is owed and in `ext.fees`.
 */
export function financialsOf(facts: FinancialFacts, period: Period, { today, timeZone }: Today): Financials {
  const { account, deliveryDays } = facts
  const currency = bookCurrency(facts)
  const charges = facts.charges.filter((charge) => charge.currency === currency)
  const fees = facts.fees.filter((fee) => fee.currency === currency)
  const payments = facts.payments.filter((payment) => payment.currency === currency)
  const { payment_terms: terms, credit_limit: limit } = account.document
  const { billing } = facts
  const invoices = billing ? numberedInvoices(billing, currency) : invoicesOf([...charges, ...fees], payments, terms, today)
  const owed = (billing ? owedOf(billing, currency) : sum(charges) + sum(fees)) - sum(payments)
  const shown = invoices.slice(-MOST_INVOICES).toReversed()
  const ext = {
    ...otherCurrencies(facts, currency, period),
    ...feesIn(facts, period),
    ...(billing && standingOf(billing, shown)),
  }
  return {
    currency,
    period: { ...period },
    timezone: timeZone,
    spend: {
      total_spend: spendOf(charges, period),
      media_buy_count: deliveryDays.filter((days) => days.some((day) => isIn(day, period))).length,
    },
    ...(limit && terms !== 'prepay' && { credit: creditOf(limit.amount, owed) }),
    ...(terms === 'prepay' && { balance: balanceOf(owed, payments) }),
    payment_status: paymentStatus(account, invoices),
    ...(terms && { payment_terms: terms }),
    invoices: shown,
    ...(Object.keys(ext).length > 0 && { ext }),
  }
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

/** Spend of the period in currencies that the books are not stored in. */
function otherCurrencies({ charges }: FinancialFacts, own: string, period: Period) {
  const others = [...new Set(charges.map(({ currency }) => currency))].filter((currency) => currency !== own).sort()
  const spends = others.map((currency) => ({
    currency,
    total_spend: spendOf(
      charges.filter((charge) => charge.currency === currency),
      period,
    ),
  }))
  return spends.length > 0 && { other_currencies: spends }
}

/** What was charged in a period; nothing where credits are more: the protocol knows no spend below nothing, and what is owed has them. */
function spendOf(charges: readonly DayAmount[], period: Period): number {
  return microsToAmount(Math.max(0, sum(charges.filter(({ day }) => isIn(day, period)))))
}

function isIn(day: string, { start, end }: Period): boolean {
  return day >= start && day <= end
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}
