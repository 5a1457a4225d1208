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
  /** Of a credit note: the invoice that it credits, which it settles first. */
  readonly refersTo?: string | undefined
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
  /** Money that was paid back to customers of their credit. */
  readonly refunds: readonly AccountPayment[]
}

/** How an invoice stands. Micros. */
export interface Settlement {
  /** `credit`: it asks for nothing; it settles other invoices of the account. `credited`: credit notes of its own give all of it back. */
  readonly state: PaymentState | 'credit' | 'credited'
  readonly settledMicros: number
  /** Of it, by credit notes of its own. */
  readonly creditedMicros: number
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
  'credited',
] as const satisfies readonly Settlement['state'][]

/**
 * How invoices stand on a day, by their ids. An invoice is settled by its own credit notes and payments; what is left of it by other credits of its account, by payments into the account, and by what was paid
 * or credited of other invoices beyond what they ask for, the oldest invoice first. What was paid back of it settles nothing.
 */
export function settle(
  { claims, payments, accountPayments, refunds }: SettlementFacts,
  today: string,
): ReadonlyMap<string, Settlement> {
  const paid = groupBy(payments, ({ invoiceId }) => invoiceId)
  const notes = claims.filter(({ payableMicros }) => payableMicros < 0)
  const credited = groupBy(notes, ({ refersTo = '' }) => refersTo)
  const owned = claims
    .filter(({ payableMicros }) => payableMicros >= 0)
    .map((claim) => ownMoney(claim, paid.get(claim.invoiceId) ?? [], (credited.get(claim.invoiceId) ?? []).map(moneyOf)))
  const ofInvoices = new Set(owned.map(({ claim }) => claim.invoiceId))
  const free = notes.filter(({ refersTo }) => refersTo === undefined || !ofInvoices.has(refersTo))
  const rest = owned.flatMap(({ claim, left }) => (left.micros > 0 ? { ...claim, ...left } : []))
  const pools = groupBy([...accountPayments, ...free.map((note) => ({ ...note, ...moneyOf(note) })), ...rest], bookOf)
  const refunded = groupBy(refunds, bookOf)
  const settled = new Map<string, Settlement>(claims.map(({ invoiceId }) => [invoiceId, CREDIT]))
  for (const [book, group] of groupBy(owned, ({ claim }) => bookOf(claim))) {
    const draw = drawFrom(withoutRefunds(pools.get(book) ?? [], refunded.get(book) ?? []))
    for (const own of group) settled.set(own.claim.invoiceId, settledClaim(own, draw, today))
  }
  return settled
}

/** Money of a customer in a currency that no invoice asks for, in micros. */
export interface CreditBalance {
  readonly accountId: string
  readonly currency: string
  readonly micros: number
}

/**
 * What customers paid, and were credited, beyond what their invoices ask for, the largest first: it settles their next invoices. What is open of all invoices less this is what they owe (claims less payments), as books have it.
 */
export function creditBalances(facts: SettlementFacts, states: ReadonlyMap<string, Settlement>): readonly CreditBalance[] {
  return balancesOf(facts, states)
    .filter(({ micros }) => micros > 0)
    .sort((a, b) => b.micros - a.micros)
}

/** The balances of customers by currency: nothing where invoices ask for all of it, and less than nothing where more was paid back than there is. */
export function balancesOf(
  { claims, payments, accountPayments, refunds }: SettlementFacts,
  states: ReadonlyMap<string, Settlement>,
): readonly CreditBalance[] {
  const books = new Map<string, CreditBalance>()
  const add = ({ accountId, currency }: Omit<CreditBalance, 'micros'>, micros: number) => {
    const key = bookOf({ accountId, currency })
    books.set(key, { accountId, currency, micros: (books.get(key)?.micros ?? 0) + micros })
  }
  const byId = new Map(claims.map((claim) => [claim.invoiceId, claim]))
  for (const claim of claims) add(claim, (states.get(claim.invoiceId)?.openMicros ?? 0) - claim.payableMicros)
  for (const payment of accountPayments) add(payment, payment.micros)
  for (const refund of refunds) add(refund, -refund.micros)
  for (const { invoiceId, micros } of payments) {
    const claim = byId.get(invoiceId)
    if (claim) add(claim, micros)
  }
  return [...books.values()]
}

const CREDIT: Settlement = {
  state: 'credit',
  settledMicros: 0,
  creditedMicros: 0,
  openMicros: 0,
  overdueDays: 0,
  settledOn: undefined,
}

/** What was paid and credited of an invoice, and what of that is beyond what it asks for. */
interface OwnMoney {
  readonly claim: Claim
  readonly money: readonly Money[]
  readonly creditedMicros: number
  readonly left: Money
}

function ownMoney(claim: Claim, paid: readonly Money[], credits: readonly Money[]): OwnMoney {
  const money = [...paid, ...credits]
  const day = money.reduce((last, each) => (each.day > last ? each.day : last), '')
  const left = { day, micros: Math.max(0, sumOf(money) - claim.payableMicros) }
  return { claim, money, creditedMicros: sumOf(credits), left }
}

function moneyOf({ issuedOn: day, payableMicros }: Claim): Money {
  return { day, micros: -payableMicros }
}

function sumOf(money: readonly Money[]): number {
  return money.reduce((sum, { micros }) => sum + micros, 0)
}

/** Invoices and payments of an account in a currency settle each other. */
function bookOf({ accountId, currency }: { readonly accountId: string; readonly currency: string }): string {
  return JSON.stringify([accountId, currency])
}

/** What is left of money after refunds, in the order of its days: each is of the newest money that there was on its day, else of what comes next. */
function withoutRefunds(pool: readonly Money[], refunds: readonly Money[]): readonly Money[] {
  const money = pool.toSorted(byDay)
  const left: Money[] = []
  let [next, owed] = [0, 0]
  const addUntil = (day: string | undefined) => {
    for (let each = money[next]; each && (day === undefined || each.day <= day); each = money[++next]) {
      const part = Math.min(owed, each.micros)
      owed -= part
      if (each.micros > part) left.push({ day: each.day, micros: each.micros - part })
    }
  }
  for (const refund of refunds.toSorted(byDay)) {
    addUntil(refund.day)
    owed += refund.micros
    for (let newest = left.at(-1); owed > 0 && newest; newest = left.at(-1)) {
      left.pop()
      if (newest.micros > owed) left.push({ day: newest.day, micros: newest.micros - owed })
      owed -= Math.min(owed, newest.micros)
    }
  }
  addUntil(undefined)
  return left
}

function byDay(a: Money, b: Money): number {
  return a.day < b.day ? -1 : a.day > b.day ? 1 : 0
}

type Draw = (most: number) => Money

/** Takes money in the order of its days; the day of an answer is that of the last that was taken. */
function drawFrom(pool: readonly Money[]): Draw {
  const sorted = pool.toSorted(byDay)
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

function settledClaim({ claim, money, creditedMicros }: OwnMoney, draw: Draw, today: string): Settlement {
  const { payableMicros, dueOn, issuedOn } = claim
  const ownMicros = Math.min(payableMicros, sumOf(money))
  const drawn = draw(payableMicros - ownMicros)
  const settledMicros = ownMicros + drawn.micros
  const isCredited = payableMicros > 0 && creditedMicros >= payableMicros
  const state = isCredited ? 'credited' : paymentState({ payableMicros, dueOn }, settledMicros, today)
  const days = [issuedOn, drawn.day, ...money.map(({ day }) => day)].toSorted()
  const late = state === 'overdue' && dueOn !== undefined ? (Date.parse(today) - Date.parse(dueOn)) / DAY_MS : 0
  return {
    state,
    settledMicros,
    creditedMicros: Math.min(payableMicros, creditedMicros),
    openMicros: payableMicros - settledMicros,
    overdueDays: late,
    settledOn: state === 'paid' || state === 'credited' ? days.at(-1) : undefined,
  }
}
