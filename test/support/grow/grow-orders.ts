import { sql } from 'kysely'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { columnsOf, deliveryZone, moveTotals } from '../../../src/store/ad-serving/delivery-sums.ts'
import type { Db, Store } from '../../../src/store/database.ts'
import { insertCopies } from './insert-copies.ts'

/** Orders that run, whatever the size; the others are over, as after years. */
const RUNNING = 120
/** Orders of one transaction. */
const BATCH = 2000
/** Length of the flights. */
const DAYS = 14
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What an order that is over delivered on each of its days. */
const DELIVERED = columnsOf({
  impressions: 5_000,
  spendMicros: 71_428_571,
  clicks: 40,
  views: 0,
  completedViews: 0,
  viewableImpressions: 3_500,
  conversions: 2,
  conversionValueMicros: 0,
  milliPoints: 0,
})

type Models = Awaited<ReturnType<typeof modelsOf>>

/** The newest order of the publisher with its package. */
async function modelsOf({ read }: Store, tenantId: string) {
  const buy = await read
    .selectFrom('media_buys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .orderBy('media_buy_id')
    .executeTakeFirstOrThrow()
  const pkg = await read
    .selectFrom('packages')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', buy.media_buy_id)
    .executeTakeFirstOrThrow()
  return { buy, pkg, buyDocument: JSON.parse(buy.document), pkgDocument: JSON.parse(pkg.document) }
}

/** One order of many: `n` counts them. */
interface Numbered {
  readonly id: string
  readonly starts: string
  readonly ends: string
  readonly runs: boolean
}

function numbered(n: number, now: Date): Numbered {
  const runs = n <= RUNNING
  const start = now.getTime() - (runs ? 1 : 60) * DAY_MS - n * MINUTE_MS
  const [starts, ends] = [start, start + DAYS * DAY_MS].map((at) => new Date(at).toISOString())
  return { id: `mb_grown_${n}`, starts: starts ?? '', ends: ends ?? '', runs }
}

/**
 * Copies the newest order until there are `wanted`; those that are over are in the daily sums, as the server's background job leaves them. Gives the number of the first copy,
 * and whose orders they are.
 */
export async function growOrders(store: Store, tenantId: string, wanted: number, now: Date) {
  const models = await modelsOf(store, tenantId)
  const { have } = await store.read
    .selectFrom('media_buys')
    .select((e) => e.fn.countAll<number>().as('have'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const { dayOf } = localCalendar(await deliveryZone(store.read, tenantId))
  for (let from = Number(have); from < wanted; from += BATCH) {
    const length = Math.min(BATCH, wanted - from)
    const orders = Array.from({ length }, (_empty, index) => numbered(from + index, now))
    await store.transaction((tx) => insertOrders(tx, models, orders, dayOf), { durability: 'lazy' })
  }
  await store.transaction(async (tx) => {
    await tx.deleteFrom('delivery_totals').where('tenant_id', '=', tenantId).execute()
    await moveTotals(tx, tenantId, () => sql`1 = 1`, 1)
  })
  const { principal_id, account_id } = models.buy
  return { from: Number(have), owner: { tenant_id: tenantId, principal_id, account_id } }
}

async function insertOrders(tx: Db, models: Models, orders: readonly Numbered[], dayOf: (at: Date) => string): Promise<void> {
  const { buy, pkg, buyDocument, pkgDocument } = models
  for (const runs of [true, false]) {
    const some = orders.filter((order) => order.runs === runs)
    const buys = some.map(({ id, starts, ends }) => {
      const own = { ...buyDocument, mediaBuyId: id, createdAt: starts, confirmedAt: starts, startsAt: starts, endsAt: ends }
      const search = buy.search.replaceAll(buy.media_buy_id, id)
      return { media_buy_id: id, created_at: starts, starts_at: starts, ends_at: ends, search, document: JSON.stringify(own) }
    })
    const source = runs ? 'live' : 'settled'
    if (buys.length > 0) await insertCopies(tx, 'media_buys', { ...buy, delivery_source: source }, buys)
  }
  const packages = orders.map(({ id, starts, ends }) => {
    const terms = { ...pkgDocument.terms, from: starts, startsAt: starts, endsAt: ends }
    const own = { ...pkgDocument, packageId: `${id}-1`, needsCreatives: false, terms }
    return { package_id: `${id}-1`, media_buy_id: id, document: JSON.stringify(own) }
  })
  await insertCopies(tx, 'packages', pkg, packages)
  const days = orders.flatMap(({ id, starts, runs }) =>
    runs
      ? []
      : Array.from({ length: DAYS }, (_empty, n) => ({
          package_id: `${id}-1`,
          day: dayOf(new Date(Date.parse(starts) + n * DAY_MS)),
        })),
  )
  await insertCopies(tx, 'delivery_days', { tenant_id: buy.tenant_id, creative_id: '', ...DELIVERED }, days)
}
