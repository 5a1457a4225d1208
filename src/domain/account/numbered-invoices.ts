import { nextMonth } from '../billing/billing-lines.ts'
import type { Settlement, SettlementFacts } from '../billing/settlement.ts'
import { groupBy } from '../group-by.ts'
import { microsToAmount } from '../money.ts'
import type { Invoice, Period } from './shown-financials.ts'

/** Money of one day, `YYYY-MM-DD` in the time zone of the publisher, in micros of a currency. */
export interface DayAmount {
  readonly day: string
  readonly currency: string
  readonly micros: number
}

/** The invoices of an account, how they stand, and what was charged outside the closed months. */
export interface Billing extends SettlementFacts {
  /** The last closed month, `YYYY-MM`. */
  readonly last: string
  readonly unbilled: readonly DayAmount[]
  readonly standing: ReadonlyMap<string, Settlement>
}

/** How an invoice stands, in the words of the protocol. */
const WIRE_STATUS = {
  ...{ open: 'issued', part_paid: 'issued', paid: 'paid', overdue: 'past_due', credit: 'issued', credited: 'void' },
} as const satisfies Readonly<Record<Settlement['state'], Invoice['status']>>

/**
 * The numbered invoices, and after them what accrues month by month since the last that is closed, the earliest first. What is billed anew of closed months, or corrected in them, is on the next invoice. A credit is
 * no invoice of the protocol.
 */
export function numberedInvoices({ claims, standing, unbilled, last }: Billing, currency: string): Invoice[] {
  const numbered = claims.flatMap(({ invoiceId, month, currency: own, payableMicros, dueOn }): Invoice[] => {
    const stands = standing.get(invoiceId)
    if (own !== currency || payableMicros < 0 || !stands) return []
    const { state, settledOn } = stands
    const status = WIRE_STATUS[state]
    return [
      {
        ...{ invoice_id: invoiceId, period: monthOf(month), amount: microsToAmount(payableMicros), status },
        ...(dueOn !== undefined && { due_date: dueOn }),
        // What credit notes gave back was not paid.
        ...(status === 'paid' && settledOn !== undefined && { paid_date: settledOn }),
      },
    ]
  })
  const next = nextMonth(last)
  const accruing = unbilled.filter((charge) => charge.currency === currency)
  const drafts = [...groupBy(accruing, ({ day }) => (day.slice(0, 7) > next ? day.slice(0, 7) : next))]
    .map(([month, own]) => ({ month, micros: sum(own) }))
    .filter(({ micros }) => micros > 0)
    .sort((a, b) => (a.month < b.month ? -1 : 1))
    .map(({ month, micros }): Invoice => ({ ...accrualOf(month, micros), status: 'draft' }))
  return [...numbered, ...drafts]
}

/** What the protocol has no members for: what is open of the invoices that are shown, their credit notes, and what drafts leave out. */
export function standingOf({ claims, standing }: Billing, shown: readonly Invoice[]) {
  const notes = groupBy(
    claims.filter(({ payableMicros }) => payableMicros < 0),
    ({ refersTo = '' }) => refersTo,
  )
  const invoices = shown.flatMap(({ invoice_id, amount }) => {
    const open = microsToAmount(standing.get(invoice_id)?.openMicros ?? 0)
    const own = (notes.get(invoice_id) ?? []).map((note) => ({
      ...{ invoice_id: note.invoiceId, amount: microsToAmount(-note.payableMicros), issued_on: note.issuedOn },
    }))
    const isPart = standing.has(invoice_id) && open !== amount && open !== 0
    return isPart || own.length > 0 ? [{ invoice_id, open, ...(own.length > 0 && { credit_notes: own }) }] : []
  })
  return {
    ...(invoices.length > 0 && { invoices }),
    ...(shown.some(({ status }) => status === 'draft') && { drafts: 'before discount, commission and tax' }),
  }
}

/** What invoices ask for, less their own payments, what was charged outside them, and what was paid back. */
export function owedOf({ claims, payments, unbilled, refunds }: Billing, currency: string): number {
  const own = claims.filter((claim) => claim.currency === currency)
  const ids = new Set(own.map(({ invoiceId }) => invoiceId))
  const asked = own.reduce((total, { payableMicros }) => total + payableMicros, 0)
  const paid = payments.reduce((total, { invoiceId, micros }) => total + (ids.has(invoiceId) ? micros : 0), 0)
  const others = [...unbilled, ...refunds].filter((each) => each.currency === currency)
  return asked - paid + sum(others)
}

/** An invoice of what a month accrued, in micros. */
export function accrualOf(month: string, micros: number) {
  return { invoice_id: `inv_${month.replace('-', '_')}`, period: monthOf(month), amount: microsToAmount(micros) }
}

/** The days of a month `YYYY-MM`. */
export function monthOf(month: string): Period {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { start: `${month}-01`, end: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) }
}

/** In micros. */
export function sum(amounts: readonly DayAmount[]): number {
  return amounts.reduce((total, { micros }) => total + micros, 0)
}
