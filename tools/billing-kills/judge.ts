import type { Answer } from '../testing/call-tool.ts'
import { type Booked, type Books, micros } from './books.ts'

/** What an invoice says that must never change. */
const saidBy = ({ invoice_id, month, account, total, payable, refers_to }: Answer) =>
  JSON.stringify([invoice_id, month, account, total, payable, refers_to])

/** Holds the books against what finance was told. */
export class Judge {
  readonly problems: string[] = []
  readonly #seen = new Map<string, string>()
  readonly #books: Books
  readonly #orders: readonly Booked[]

  constructor(books: Books, orders: readonly Booked[]) {
    this.#books = books
    this.#orders = orders
  }

  problem(text: string): void {
    this.problems.push(text)
  }

  /** Whether a month is closed; it has all of its invoices then, and otherwise none. */
  async isClosed(month: string): Promise<boolean> {
    const { items, months } = await this.#books.invoices({ month })
    const closed = months.includes(month)
    if (!closed && items.length > 0) this.problem(`${month} is not closed and has ${items.length} invoices`)
    return closed
  }

  /** The credit notes of an invoice are numbered in their order. Gives how many there are. */
  async creditNotes(invoice: string): Promise<number> {
    const { credit_notes: notes } = await this.#books.call('GET', `/billing/invoices/${invoice}`)
    const numbers = notes.map((each: Answer) => each.invoice_id).sort()
    const expected = notes.map((_: Answer, index: number) => `${invoice}-C${index + 1}`).sort()
    if (String(numbers) !== String(expected)) this.problem(`${invoice} has the credit notes ${numbers}`)
    return notes.length
  }

  /** The report of a month is what the ad server counted last. */
  async delivery(month: string): Promise<void> {
    const reported = await this.#books.reported(month)
    for (const { orderId, delivered } of this.#orders)
      if ((reported.get(orderId) ?? 0) !== (delivered.get(month) ?? 0))
        this.problem(`${orderId} delivered ${delivered.get(month)} in ${month}, and the report has ${reported.get(orderId)}`)
  }

  /**
   * After a close: invoices are numbered without gaps, those of before are as they were, and of each account they come to what was delivered and charged until then.
   * Gives how many invoices and credit notes there are.
   */
  async all(month: string): Promise<{ readonly invoices: number; readonly creditNotes: number }> {
    const { items, months } = await this.#books.invoices()
    const ids = items.map((each) => each.invoice_id)
    if (new Set(ids).size !== ids.length) this.problem('an invoice is listed twice')
    const closed = items.filter((each) => each.refers_to === null)
    for (const each of months) {
      const numbers = closed.filter((item) => item.month === each).map((item) => item.invoice_id)
      const expected = numbers.map((_, index) => `${each}-${String(index + 1).padStart(4, '0')}`)
      if (String(numbers.sort()) !== String(expected)) this.problem(`${each} has the invoices ${numbers}`)
    }
    for (const item of items) {
      const before = this.#seen.get(item.invoice_id)
      if (before !== undefined && before !== saidBy(item)) this.problem(`${before} became ${saidBy(item)}`)
      this.#seen.set(item.invoice_id, saidBy(item))
    }
    for (const id of this.#seen.keys()) if (!ids.includes(id)) this.problem(`${id} is gone`)
    for (const { accountId, delivered, charged, given } of this.#orders) {
      const billed = items.reduce((sum, each) => (each.account === accountId ? sum + micros(each.total) : sum), 0)
      const due = until(month, delivered) + until(month, charged) - given
      if (billed !== due) this.problem(`${accountId} was billed ${billed} until ${month}, and ${due} is what it comes to`)
    }
    return { invoices: closed.length, creditNotes: items.length - closed.length }
  }
}

function until(month: string, sums: ReadonlyMap<string, number>): number {
  return [...sums].reduce((sum, [each, value]) => (each <= month ? sum + value : sum), 0)
}
