import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClockedServer } from '../faults/clocked-server.ts'
import { type Answer, callTool } from '../testing/call-tool.ts'

/** The demo product that the ad server without an API serves. */
export const PRODUCT = 'sport_display'
/** The name of that ad server. */
export const AD_SERVER = 'sheets'
const ANSWER_MS = 60_000
const [ENTERED_WITHIN_MS, POLL_MS] = [60_000, 100]
/** More than an order delivers in 2,000 rounds. */
const BUDGET = 50_000

/** An order of one account, and what it comes to by the arithmetic of this tool. Micros of USD. */
export interface Booked {
  readonly orderId: string
  readonly packageId: string
  readonly accountId: string
  /** Delivered in each month, as it was reported last. */
  readonly delivered: Map<string, number>
  /** Charged beside delivery, by the month in which it was entered. */
  readonly charged: Map<string, number>
  /** Given back for good by credit notes of an amount. */
  given: number
}

/** The publisher's finance department, over the admin API. */
export class Books {
  readonly #base: string
  readonly #token: string

  constructor(origin: string, token: string) {
    this.#base = `${origin}/admin/v1`
    this.#token = token
  }

  /** Throws with the answer when it is refused; rejects when the server is gone. */
  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        authorization: `Bearer ${this.#token}`,
        connection: 'close',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: Answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`)
    return answer
  }

  /** All invoices and credit notes, or those of a month or account, and the closed months. */
  async invoices(query: Readonly<Record<string, string>> = {}): Promise<{ items: Answer[]; months: string[] }> {
    const items: Answer[] = []
    let cursor: string | null = null
    for (;;) {
      const asked = new URLSearchParams({ ...query, limit: '200', ...(cursor !== null && { cursor }) })
      const page = await this.call('GET', `/billing/invoices?${asked}`)
      items.push(...page.items)
      cursor = page.next_cursor
      if (cursor === null) return { items, months: page.months.map((each: Answer) => each.month) }
    }
  }

  /** What was delivered in a month by the report, by order, in micros. */
  async reported(month: string): Promise<ReadonlyMap<string, number>> {
    const days = new URLSearchParams({ by: 'order', first: `${month}-01`, last: `${month}-28` })
    const { rows } = await this.call('GET', `/reports/delivery?${days}`)
    return new Map(rows.map((row: Answer) => [row.dimensions.order, micros(row.spent)]))
  }

  /** Reports what the orders delivered on a day of a month; a later report of the same day replaces it. */
  async report(month: string, orders: readonly Booked[]): Promise<void> {
    await this.enter(
      orders.map(({ packageId, delivered }) => ({ packageId, day: `${month}-28`, spent: delivered.get(month) ?? 0 })),
    )
  }

  /** Enters what packages delivered on days: an impression for each thousandth of a dollar. */
  async enter(days: readonly { readonly packageId: string; readonly day: string; readonly spent: number }[]): Promise<void> {
    const rows = days.map(({ packageId, day, spent }) => `${packageId},${day},${Math.ceil(spent / 1000)},${amount(spent)}`)
    const csv = ['package_id,day,impressions,spend', ...rows].join('\n')
    await this.call('POST', '/ad-servers/order-sheet', { csv, ad_server: AD_SERVER })
  }
}

/** Gives a product of the demo publisher to an ad server without an API, and makes a buyer. Returns the token of its key, and one of the admin API. */
export async function sellBySheet(
  server: Pick<ClockedServer, 'run'>,
): Promise<{ readonly buyer: string; readonly token: string }> {
  const served = JSON.stringify({ products: { [PRODUCT]: { units: ['Sport'], sizes: ['300x250'] } } })
  await server.run('adservers', 'add', AD_SERVER, '--type', 'manual', '--products', PRODUCT, '--options', served)
  await server.run('buyers', 'add', 'agency')
  const { token: buyer } = await server.run('keys', 'create', '--buyer', 'agency')
  const { token } = await server.run('admin-keys', 'create', '--name', 'finance', '--role', 'administrator')
  return { buyer, token }
}

/** Orders of accounts of their own, until a day, each as soon as people can enter it at the ad server. */
export async function bookOrders(
  { origin, token, books }: { readonly origin: string; readonly token: string; readonly books: Books },
  { count, until }: { readonly count: number; readonly until: string },
): Promise<Booked[]> {
  const orders: Booked[] = []
  for (let number = 0; number < count; number++) {
    const account = { brand: { domain: `brand${number}.example` }, operator: 'agency.example' }
    const call = (task: string, args: object) =>
      callTool({ origin, token, answerMs: ANSWER_MS }, task, { idempotency_key: randomUUID(), ...args })
    await call('sync_accounts', { accounts: [{ ...account, billing: 'operator' }] })
    const packages = [{ product_id: PRODUCT, pricing_option_id: 'cpm_usd_fixed', budget: BUDGET }]
    const flight = { start_time: 'asap', end_time: `${until}T00:00:00Z` }
    const bought = await call('create_media_buy', { account, brand: account.brand, packages, ...flight })
    if (bought?.status !== 'submitted') throw new Error(`nothing was bought: ${JSON.stringify(bought)}`)
    const { media_buy_id: orderId, package_id: packageId } = await enteredOrder(books, orders)
    const { account: accountId } = await books.call('GET', `/orders/${orderId}`)
    orders.push({ orderId, packageId, accountId, delivered: new Map(), charged: new Map(), given: 0 })
  }
  return orders
}

/** The line of an order that people have to enter, beside those that are known. */
async function enteredOrder(books: Books, known: readonly Booked[]): Promise<Answer> {
  const end = performance.now() + ENTERED_WITHIN_MS
  while (performance.now() < end) {
    const { items } = await books.call('GET', `/ad-servers/order-sheet?all=true&ad_server=${AD_SERVER}`)
    const found = items.find((each: Answer) => !known.some(({ packageId }) => packageId === each.package_id))
    if (found) return found
    await sleep(POLL_MS)
  }
  throw new Error('an order did not come to the sheet of its ad server')
}

export function micros(value: number): number {
  return Math.round(value * 1e6)
}

export function amount(value: number): string {
  return (value / 1e6).toFixed(6)
}
