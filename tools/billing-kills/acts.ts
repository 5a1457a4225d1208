import { amount, type Booked, type Books, micros } from './books.ts'
import type { Judge } from './judge.ts'

/** Smallest amount of an invoice: a cent. */
const CENT = 10_000

/** An act that a process is killed in. */
export interface Act {
  readonly name: string
  /** Carries it out; rejects when the answer is lost. */
  send(): Promise<unknown>
  /** Whether it was carried out, as the books say. */
  isDone(): Promise<boolean>
  /** Once, when it is known to be carried out. */
  done(): void
  /** What must hold then. */
  judge(): Promise<void>
}

export interface Party {
  readonly books: Books
  readonly judge: Judge
  readonly orders: readonly Booked[]
  readonly chance: () => number
}

/** An ad server counts a month otherwise than it did: less or more for each other order. */
export async function correction({ books, judge, orders, chance }: Party, month: string): Promise<Act> {
  for (const { delivered } of orders)
    if (chance() < 0.5) delivered.set(month, Math.floor((delivered.get(month) ?? 0) * chance() * 1.4))
  return {
    name: 'correction',
    send: () => books.report(month, orders),
    isDone: async () => {
      const reported = await books.reported(month)
      return orders.every(({ orderId, delivered }) => reported.get(orderId) === delivered.get(month))
    },
    done: () => undefined,
    judge: () => judge.delivery(month),
  }
}

/** A credit note of an invoice of a closed month: of all of it, of what was corrected since, or of an amount. */
export async function credit({ books, judge, orders, chance }: Party, month: string): Promise<Act | undefined> {
  const { items } = await books.invoices({ month })
  const invoices = items.filter((each) => each.refers_to === null && micros(each.payable) > 0)
  const invoice = invoices[Math.floor(chance() * invoices.length)]
  if (!invoice) return undefined
  const id: string = invoice.invoice_id
  const { lines, credit_notes: before } = await books.call('GET', `/billing/invoices/${id}`)
  const given = before.reduce((sum: number, each: { payable: number }) => sum + micros(each.payable), 0)
  const left = Math.floor(Math.min(micros(lines[0].amount), micros(invoice.payable) + given) / CENT)
  if (left < 10) return undefined
  const { items: pending } = await books.call('GET', '/billing/adjustments')
  const corrected = pending.reduce(
    (sum: number, each: { account: string; service_month: string; amount: number }) =>
      each.account === invoice.account && each.service_month === month ? sum + micros(each.amount) : sum,
    0,
  )
  const value = (1 + Math.floor((chance() * left) / 2)) * CENT
  const which = chance()
  const what = corrected < -CENT && which < 0.6 ? 'corrections' : which < 0.6 && before.length === 0 ? 'all' : 'amount'
  const body = { what, reason: 'agreed', ...(what === 'amount' && { amount: amount(value), position: 1 }) }
  const order = orders.find(({ accountId }) => accountId === invoice.account)
  return {
    name: `credit of ${what}`,
    send: () => books.call('POST', `/billing/invoices/${id}/credit`, body),
    isDone: async () => (await judge.creditNotes(id)) > before.length,
    done: () => {
      if (what === 'amount' && order) order.given += value
    },
    judge: async () => {
      const notes = await judge.creditNotes(id)
      if (notes !== before.length + 1) judge.problem(`${id} was credited once and has ${notes} credit notes`)
    },
  }
}

/** The close of a month that has ended. */
export function close({ books, judge }: Party, month: string): Act {
  return {
    name: 'close',
    send: () => books.call('POST', `/billing/months/${month}/close`, {}),
    isDone: () => judge.isClosed(month),
    done: () => undefined,
    judge: async () => {
      await judge.all(month)
    },
  }
}
