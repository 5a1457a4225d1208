import { DIRECT } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { storePath } from '../../src/store/open.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { ConsoleClient } from '../../test/support/console-client.ts'
import { insertCopies } from '../../test/support/grow/insert-copies.ts'
import type { MeasuredAgent } from './agent.ts'
import type { HostileInput } from './hostile.ts'
import { send } from './stall.ts'

const DAY_MS = 86_400_000
const LINES = 100
/** Copies of an order of so many lines, half of which are over, without having delivered anything. */
const ORDERS = 200

/** What reads all lines of direct orders that are over, or run: 10,000 of each. Throws when the order is refused. */
export async function manyDirectLines(
  { port, adminKey, tenant, data }: MeasuredAgent,
  person: ConsoleClient,
): Promise<readonly HostileInput[]> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const flight = { starts_at: day(-20), ends_at: day(20) }
  const line = { product_id: 'ros_display', priority: 'standard', ...flight, cpm: 1, impressions: 100_000 }
  const lines = Array.from({ length: LINES }, (_, at) => ({ line_id: `line-${at}`, ...line }))
  const document = { order_id: 'many', name: 'many', advertiser: 'brand.example', lines }
  const put = { method: 'PUT', path: '/admin/v1/direct-orders', headers, body: JSON.stringify({ document }) }
  const { status, body } = await send(port, put)
  if (status >= 300) throw new Error(body.slice(0, 1_000))
  const store = await openSqlite(storePath(data))
  await store.transaction(async (tx) => {
    const order = await tx
      .selectFrom('embedded_orders')
      .selectAll()
      .where('anchor', '=', `${DIRECT}many`)
      .executeTakeFirstOrThrow()
    const booked = await tx.selectFrom('embedded_lines').selectAll().where('order_id', '=', order.order_id).execute()
    const numbers = Array.from({ length: ORDERS }, (_, n) => n)
    const idOf = (n: number) => ({ order_id: `${order.order_id}-${n}`, anchor: `${order.anchor}-${n}` })
    await insertCopies(tx, 'embedded_orders', order, numbers.map(idOf))
    for (const each of booked) {
      const copies = numbers.map((n) => {
        const endsAt = n % 2 === 0 ? each.ends_at : day(-1 - (n % 15))
        const { order_id, anchor } = idOf(n)
        const own = { line_id: `${each.line_id}-${n}`, order_id, anchor: each.anchor.replace(order.anchor, anchor) }
        return { ...own, ends_at: endsAt, document: each.document.replaceAll(each.ends_at, endsAt) }
      })
      await insertCopies(tx, 'embedded_lines', each, copies)
    }
  })
  await store.close()
  return [
    {
      title: 'shortfalls of 10,000 direct lines',
      ask: () => ({ path: '/admin/v1/reports/shortfalls?days=60', headers }),
    },
    {
      title: 'the first page of people, with 10,000 direct lines that run',
      ask: () => ({ path: `/console/t/${tenant}/home`, headers: { cookie: person.cookie ?? '' } }),
    },
  ]
}
