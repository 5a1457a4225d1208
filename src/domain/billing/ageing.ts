import { DAY_MS } from '../calendar/instant.ts'
import { creditBalances, type SettlementFacts, settle } from './settlement.ts'

/** How long ago open amounts were due: not yet, then by days. */
export const AGES = ['not_due', 'days_1_30', 'days_31_60', 'days_61_90', 'over_90'] as const
type Age = (typeof AGES)[number]

/** What a customer has open in a currency on a day, in micros, by how long ago it was due; and the credit, which no invoice asks for. */
export interface AgedBook {
  readonly accountId: string
  readonly currency: string
  readonly open: Readonly<Record<Age, number>>
  readonly openMicros: number
  readonly creditMicros: number
  /** Of which something is open. */
  readonly invoices: number
}

/**
 * Open items of customers on a day, from invoices and payments as they were known by then: what was issued, paid, credited and paid back up to that day. An invoice without a due date is as old as it is. Customers without
 * an open item and without credit are left out, unless `all` that were ever invoiced or paid are asked for; by currency, who has most open first.
 */
export function agedBooks(
  { claims, payments, accountPayments, refunds }: SettlementFacts,
  day: string,
  all = false,
): readonly AgedBook[] {
  const facts = {
    claims: claims.filter(({ issuedOn }) => issuedOn <= day),
    payments: payments.filter((each) => each.day <= day),
    accountPayments: accountPayments.filter((each) => each.day <= day),
    refunds: refunds.filter((each) => each.day <= day),
  }
  const states = settle(facts, day)
  const books = new Map<
    string,
    { -readonly [Member in keyof AgedBook]: AgedBook[Member] } & { readonly open: Record<Age, number> }
  >()
  const bookOf = ({ accountId, currency }: Pick<AgedBook, 'accountId' | 'currency'>) => {
    const key = JSON.stringify([accountId, currency])
    const open = Object.fromEntries(AGES.map((age) => [age, 0])) as Record<Age, number>
    const book = books.get(key) ?? { accountId, currency, open, openMicros: 0, creditMicros: 0, invoices: 0 }
    books.set(key, book)
    return book
  }
  if (all) for (const each of [...facts.claims, ...facts.accountPayments]) bookOf(each)
  for (const claim of facts.claims) {
    const openMicros = states.get(claim.invoiceId)?.openMicros ?? 0
    if (openMicros === 0) continue
    const book = bookOf(claim)
    book.open[ageOf(claim.dueOn ?? claim.issuedOn, day)] += openMicros
    book.openMicros += openMicros
    book.invoices += 1
  }
  for (const balance of creditBalances(facts, states)) bookOf(balance).creditMicros = balance.micros
  return [...books.values()].sort(mostOpenFirst)
}

/** The order of a list of them. */
export function mostOpenFirst(
  a: Pick<AgedBook, 'currency' | 'openMicros' | 'accountId'>,
  b: Pick<AgedBook, 'currency' | 'openMicros' | 'accountId'>,
): number {
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1
  if (a.openMicros !== b.openMicros) return b.openMicros - a.openMicros
  return a.accountId < b.accountId ? -1 : a.accountId > b.accountId ? 1 : 0
}

function ageOf(dueOn: string, day: string): Age {
  const days = Math.round((Date.parse(day) - Date.parse(dueOn)) / DAY_MS)
  if (days <= 0) return 'not_due'
  if (days <= 30) return 'days_1_30'
  if (days <= 60) return 'days_31_60'
  return days <= 90 ? 'days_61_90' : 'over_90'
}
