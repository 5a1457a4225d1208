import { DAY_MS } from '../calendar/instant.ts'
import { groupBy } from '../group-by.ts'
import { type PaymentState, paymentState } from './due-date.ts'

/** What an invoice asks for, in micros of its currency; of a credit less than zero. Days are `YYYY-MM-DD`. */
export interface Claim {
  readonly invoiceId: string
  /** The closed month, `YYYY-MM`. */
  readonly month: string
  readonly accountId: string
  readonly currency: string
  readonly payableMicros: number
  readonly issuedOn: string
  readonly dueOn: string | undefined
}

/** Money that came in on a day, in micros. */
interface Money {
  readonly day: string
  readonly micros: number
}

/** A payment of an invoice. */
export interface ClaimPayment extends Money {
  readonly invoiceId: string
}

/** A payment into an account, of no invoice. */
export interface AccountPayment extends Money {
  readonly accountId: string
  readonly currency: string
}

/** What is known of invoices and payments of a publisher, or of one of its accounts; claims in the order in which they were written. */
export interface SettlementFacts {
  readonly claims: readonly Claim[]
  readonly payments: readonly ClaimPayment[]
  readonly accountPayments: readonly AccountPayment[]
}

/** How an invoice stands. Micros. */
export interface Settlement {
  /** `credit`: it asks for nothing; it settles other invoices of the account. */
  readonly state: PaymentState | 'credit'
  readonly settledMicros: number
  readonly openMicros: number
  /** Days since the day on which it was due; 0: it is not overdue. */
  readonly overdueDays: number
  /** The day on which all of it was settled. */
  readonly settledOn: string | undefined
}

/** The words for how invoices stand. */
export const SETTLEMENT_STATES = [
  'open',
  'part_paid',
  'paid',
  'overdue',
  'credit',
] as const satisfies readonly Settlement['state'][]

/**
 * How invoices stand on a day, by their ids. An invoice is settled by its own payments; what is left of it by credits of its account and by payments into the account, the oldest invoice first.
 */
export function settle({ claims, payments, accountPayments }: SettlementFacts, today: string): ReadonlyMap<string, Settlement> {
  const own = groupBy(payments, ({ invoiceId }) => invoiceId)
  const credits = claims
    .filter(({ payableMicros }) => payableMicros < 0)
    .map(({ accountId, currency, issuedOn, payableMicros }) => ({ accountId, currency, day: issuedOn, micros: -payableMicros }))
  const pools = groupBy([...accountPayments, ...credits], bookOf)
  const settled = new Map<string, Settlement>()
  for (const [book, group] of groupBy(claims, bookOf)) {
    const draw = drawFrom(pools.get(book) ?? [])
    for (const claim of group) settled.set(claim.invoiceId, settledClaim(claim, own.get(claim.invoiceId) ?? [], draw, today))
  }
  return settled
}

/** Invoices and payments of an account in a currency settle each other. */
function bookOf({ accountId, currency }: { readonly accountId: string; readonly currency: string }): string {
  return JSON.stringify([accountId, currency])
}

type Draw = (most: number) => Money

/** Takes money in the order of its days; the day of an answer is that of the last that was taken. */
function drawFrom(pool: readonly Money[]): Draw {
  const sorted = pool.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  let [at, used] = [0, 0]
  return (most) => {
    let [micros, day] = [0, '']
    for (let next = sorted[at]; micros < most && next; next = sorted[at]) {
      const part = Math.min(most - micros, next.micros - used)
      micros += part
      used += part
      if (part > 0) day = next.day
      if (used === next.micros) {
        at += 1
        used = 0
      }
    }
    return { day, micros }
  }
}

function settledClaim({ payableMicros, dueOn, issuedOn }: Claim, own: readonly Money[], draw: Draw, today: string): Settlement {
  if (payableMicros < 0) return { state: 'credit', settledMicros: 0, openMicros: 0, overdueDays: 0, settledOn: undefined }
  const paidMicros = own.reduce((sum, { micros }) => sum + micros, 0)
  const drawn = draw(payableMicros - paidMicros)
  const settledMicros = paidMicros + drawn.micros
  const state = paymentState({ payableMicros, dueOn }, settledMicros, today)
  const days = [issuedOn, drawn.day, ...own.map(({ day }) => day)].toSorted()
  const late = state === 'overdue' && dueOn !== undefined ? (Date.parse(today) - Date.parse(dueOn)) / DAY_MS : 0
  return {
    state,
    settledMicros,
    openMicros: payableMicros - settledMicros,
    overdueDays: late,
    settledOn: state === 'paid' ? days.at(-1) : undefined,
  }
}
