import type { Settlement, SettlementFacts } from '../billing/settlement.ts'
import { groupBy } from '../group-by.ts'
import { microsToAmount } from '../money.ts'
import type { Account } from './account.ts'
import type { PaymentTerms } from './account-document.ts'
import { NET_DAYS } from './payment-terms.ts'
import type { Balance, Credit, Financials, Invoice, PaymentStatus, Period } from './shown-financials.ts'

/** Money of one day, `YYYY-MM-DD` in the time zone of the publisher, in micros of a currency. */
export interface DayAmount {
  readonly day: string
  readonly currency: string
  readonly micros: number
}

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

/** The invoices of an account, how they stand, and what was charged outside the closed months. */
interface Billing extends SettlementFacts {
  /** The last closed month, `YYYY-MM`. */
  readonly last: string
  readonly unbilled: readonly DayAmount[]
  readonly standing: ReadonlyMap<string, Settlement>
}

/** Invoices shown: a year and the month that runs. */
const MOST_INVOICES = 13

/** The calendar month of a day: the billing cycle. */
export function billingCycle(today: string): Period {
  return monthOf(today.slice(0, 7))
}

function monthOf(month: string): Period {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { start: `${month}-01`, end: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) }
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
  const others = otherCurrencies(facts, currency, period)
  const feesOfPeriod = feesIn(facts, period)
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
    invoices: invoices.slice(-MOST_INVOICES).toReversed(),
    ...(others.length + feesOfPeriod.length > 0 && {
      ext: {
        ...(others.length > 0 && { other_currencies: others }),
        ...(feesOfPeriod.length > 0 && { fees: feesOfPeriod }),
      },
    }),
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
function feesIn({ fees }: FinancialFacts, period: Period): { currency: string; amount: number }[] {
  const inPeriod = groupBy(
    fees.filter(({ day }) => isIn(day, period)),
    ({ currency }) => currency,
  )
  return [...inPeriod]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => ({ currency, amount: microsToAmount(sum(own)) }))
    .filter(({ amount }) => amount !== 0)
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

/** How an invoice stands, in the words of the protocol. */
const WIRE_STATUS = {
  ...{ open: 'issued', part_paid: 'issued', paid: 'paid', overdue: 'past_due', credit: 'issued', credited: 'void' },
} as const satisfies Readonly<Record<Settlement['state'], Invoice['status']>>

/** The numbered invoices, and after them what accrues month by month since the last that is closed, the earliest first. A credit is no invoice of the protocol. */
function numberedInvoices({ claims, standing, unbilled, last }: Billing, currency: string): Invoice[] {
  const numbered = claims.flatMap(({ invoiceId, month, currency: own, payableMicros, dueOn }): Invoice[] => {
    const stands = standing.get(invoiceId)
    if (own !== currency || payableMicros < 0 || !stands) return []
    const { state, settledOn } = stands
    const status = WIRE_STATUS[state]
    return [
      {
        ...{ invoice_id: invoiceId, period: monthOf(month), amount: microsToAmount(payableMicros), status },
        ...(dueOn !== undefined && { due_date: dueOn }),
        ...(settledOn !== undefined && { paid_date: settledOn }),
      },
    ]
  })
  const accruing = unbilled.filter((charge) => charge.currency === currency && charge.day.slice(0, 7) > last)
  const drafts = [...groupBy(accruing, ({ day }) => day.slice(0, 7))]
    .map(([month, own]) => ({ month, micros: sum(own) }))
    .filter(({ micros }) => micros > 0)
    .sort((a, b) => (a.month < b.month ? -1 : 1))
    .map(({ month, micros }): Invoice => ({ ...accrualOf(month, micros), status: 'draft' }))
  return [...numbered, ...drafts]
}

/** What invoices ask for, less their own payments, and what was charged outside them. */
function owedOf({ claims, payments, unbilled }: Billing, currency: string): number {
  const own = claims.filter((claim) => claim.currency === currency)
  const ids = new Set(own.map(({ invoiceId }) => invoiceId))
  const asked = own.reduce((total, { payableMicros }) => total + payableMicros, 0)
  const paid = payments.reduce((total, { invoiceId, micros }) => total + (ids.has(invoiceId) ? micros : 0), 0)
  return asked - paid + sum(unbilled.filter((charge) => charge.currency === currency))
}

function accrualOf(month: string, micros: number) {
  return { invoice_id: `inv_${month.replace('-', '_')}`, period: monthOf(month), amount: microsToAmount(micros) }
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
function otherCurrencies({ charges }: FinancialFacts, own: string, period: Period): { currency: string; total_spend: number }[] {
  const others = [...new Set(charges.map(({ currency }) => currency))].filter((currency) => currency !== own).sort()
  return others.map((currency) => ({
    currency,
    total_spend: spendOf(
      charges.filter((charge) => charge.currency === currency),
      period,
    ),
  }))
}

/** What was charged in a period; nothing where credits are more: the protocol knows no spend below nothing, and what is owed has them. */
function spendOf(charges: readonly DayAmount[], period: Period): number {
  return microsToAmount(Math.max(0, sum(charges.filter(({ day }) => isIn(day, period)))))
}

function sum(amounts: readonly DayAmount[]): number {
  return amounts.reduce((total, { micros }) => total + micros, 0)
}

function isIn(day: string, { start, end }: Period): boolean {
  return day >= start && day <= end
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}
