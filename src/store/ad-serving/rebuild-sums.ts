import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { addMetrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { eachInTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { advanceBook } from '../book-revision.ts'
import type { Db, Store } from '../database.ts'
import { deliveryPages } from './delivery-ledger.ts'
import { dayOfPeriods, openSettled } from './delivery-sources.ts'
import { type AddedDay, insertDays, moveTotals, TOTAL_DIMENSIONS } from './delivery-sums.ts'

/** How long after its last step a rebuild is left to the process that works on it: a step takes a second at most. */
const LEASE_MS = 30_000

/** Days of packages that are added to the totals in one turn. */
const DAYS_AT_ONCE = 1_000

/** Orders that are opened in one transaction. */
const ORDERS_AT_ONCE = 10

/**
 * Has the daily sums of a publisher made again from the ledger, in days of a time zone, by {@link finishRebuild}. What is reported from now on is counted in that
 * time zone, and months are closed again once the sums are made.
 */
export async function beginRebuild(tx: Db, tenantId: string, timeZone: string, now: Date): Promise<void> {
  const columns = { time_zone: timeZone, rebuild: randomUUID(), rebuild_until: leaseEnd(now) }
  await tx
    .insertInto('delivery_zones')
    .values({ tenant_id: tenantId, ...columns })
    .onConflict((c) => c.column('tenant_id').doUpdateSet(columns))
    .execute()
  await advanceBook(tx, tenantId)
}

/** Whether a rebuild of a publisher's sums is unfinished; with `now`, only when no process works on it. */
export async function isRebuilding(db: Db, tenantId: string, now?: Date): Promise<boolean> {
  let query = db.selectFrom('delivery_zones').select('rebuild').where('tenant_id', '=', tenantId).where('rebuild', 'is not', null)
  if (now) query = query.where('rebuild_until', '<', now.toISOString())
  return (await query.executeTakeFirst()) !== undefined
}

/**
 * Makes the daily sums of a publisher again that {@link beginRebuild} asked for, in small transactions, between which others read and write: one for each package, then one
 * for each day of the totals. After a crash it is done again from the start. Orders that were settled have their ad server asked again, until the background job settles
 * them. Ends early when another rebuild was begun.
 */
export async function finishRebuild(store: Store, tenantId: string, clock: () => Date): Promise<void> {
  const zone = await store.read.selectFrom('delivery_zones').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  const rebuild = zone?.rebuild
  if (!rebuild) return
  const step: Step = (work) =>
    store.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('delivery_zones')
        .set({ rebuild_until: leaseEnd(clock()) })
        .where('tenant_id', '=', tenantId)
        .where('rebuild', '=', rebuild)
        .executeTakeFirst()
      return numUpdatedRows === 1n ? work(tx) : 'ended'
    })
  if (!(await openOrders(step, tenantId))) return
  if (!(await fillDays(store, step, tenantId, dayOfPeriods(zone.time_zone)))) return
  if (!(await fillTotals(store, step, tenantId))) return
  await step(async (tx) => {
    await tx.updateTable('delivery_zones').set({ rebuild: null, rebuild_until: null }).where('tenant_id', '=', tenantId).execute()
    // What was prepared for a month from sums that were not made yet is prepared again.
    await advanceBook(tx, tenantId)
  })
}

/** One transaction of a rebuild; `ended` when another one was begun. */
type Step = <T>(work: (tx: Db) => Promise<T>) => Promise<T | 'ended'>

function leaseEnd(now: Date): string {
  return new Date(now.getTime() + LEASE_MS).toISOString()
}

async function openOrders(step: Step, tenantId: string): Promise<boolean> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const opened = await step(async (tx) => ({ last: await openSettled(tx, tenantId, from, ORDERS_AT_ONCE) }))
    if (opened === 'ended') return false
    after = opened.last
    await yieldToEventLoop()
  }
  return true
}

async function fillDays(store: Store, step: Step, tenantId: string, dayOf: (period: string) => string): Promise<boolean> {
  let after = ''
  for (;;) {
    const packageId = await nextOf(store.read, tenantId, 'package_id', after)
    if (packageId === undefined) return true
    const done = await fillPackage(store, step, tenantId, packageId, dayOf)
    if (done === 'ended') return false
    // Rows came while they were added up.
    if (done) after = packageId
    await yieldToEventLoop()
  }
}

/** False when the ledger got rows of the package meanwhile. */
async function fillPackage(store: Store, step: Step, tenantId: string, packageId: string, dayOf: (period: string) => string) {
  const rows = await ledgerRows(store.read, tenantId, packageId)
  const days = new Map<string, AddedDay>()
  for await (const page of deliveryPages(store.read, tenantId, [packageId])) {
    await eachInTurns(page, (row) => {
      const day = dayOf(row.period)
      const key = `${day} ${row.creativeId}`
      const sum = addMetrics(days.get(key) ?? NOTHING, row)
      days.set(key, { ...sum, packageId, day, creativeId: row.creativeId })
    })
  }
  return step(async (tx) => {
    if ((await ledgerRows(tx, tenantId, packageId)) !== rows) return false
    // Not in the ledger: an order that was settled just now has its days already.
    if (rows === 0 && (await isSettled(tx, tenantId, packageId))) return true
    await dropDays(tx, tenantId, packageId)
    await insertDays(tx, tenantId, [...days.values()])
    return true
  })
}

async function dropDays(tx: Db, tenantId: string, packageId: string): Promise<void> {
  const terms = { tenant_id: tenantId, package_id: packageId }
  for (;;) {
    const days = tx
      .selectFrom('delivery_days')
      .select('day')
      .where((e) => e.and(terms))
      .orderBy('day')
    const last = await days.offset(DAYS_AT_ONCE).limit(1).executeTakeFirst()
    const dropped = tx.deleteFrom('delivery_days').where((e) => e.and(terms))
    await (last ? dropped.where('day', '<=', last.day) : dropped).execute()
    if (!last) return
    await yieldToEventLoop()
  }
}

/** Rows are added to the ledger and never changed: the same number are the same rows. */
async function ledgerRows(db: Db, tenantId: string, packageId: string): Promise<number> {
  const query = db.selectFrom('delivery_ledger').where('tenant_id', '=', tenantId).where('package_id', '=', packageId)
  const { rows } = await query.select((e) => e.fn.countAll<number | string>().as('rows')).executeTakeFirstOrThrow()
  return Number(rows)
}

async function isSettled(tx: Db, tenantId: string, packageId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('packages as p')
    .innerJoin('media_buys as b', (j) =>
      j.onRef('b.tenant_id', '=', 'p.tenant_id').onRef('b.media_buy_id', '=', 'p.media_buy_id'),
    )
    .select('b.delivery_source')
    .where('p.tenant_id', '=', tenantId)
    .where('p.package_id', '=', packageId)
    .executeTakeFirst()
  return row?.delivery_source === 'settled'
}

/** Makes the totals again from the days, each day in a transaction. */
async function fillTotals(store: Store, step: Step, tenantId: string): Promise<boolean> {
  let after = ''
  for (;;) {
    const day = await nextOf(store.read, tenantId, 'day', after)
    const done = await step((tx) => fillDayOfTotals(tx, tenantId, after, day))
    if (done === 'ended') return false
    if (day === undefined) return true
    after = day
    await yieldToEventLoop()
  }
}

/** Drops the totals after one day until another and those of the other, and adds up the packages of that one. */
async function fillDayOfTotals(tx: Db, tenantId: string, after: string, day: string | undefined): Promise<void> {
  let old = tx.deleteFrom('delivery_totals').where('tenant_id', '=', tenantId).where('dimension', 'in', TOTAL_DIMENSIONS)
  old = old.where('day', '>', after)
  if (day !== undefined) old = old.where('day', '<=', day)
  await old.execute()
  if (day === undefined) return
  let first = ''
  for (;;) {
    const behind = await tx
      .selectFrom('delivery_days')
      .select('package_id')
      .where('tenant_id', '=', tenantId)
      .where('day', '=', day)
      .where('package_id', '>=', first)
      .orderBy('package_id')
      .offset(DAYS_AT_ONCE)
      .limit(1)
      .executeTakeFirst()
    const until = behind && behind.package_id > first ? behind.package_id : undefined
    const upTo = until === undefined ? sql`1 = 1` : sql`d.package_id < ${until}`
    await moveTotals(tx, tenantId, () => sql`d.day = ${day} and d.package_id >= ${first} and ${upTo}`, 1)
    if (until === undefined) return
    first = until
    await yieldToEventLoop()
  }
}

/** The next package or day that there are days of, and for packages rows of the ledger. */
async function nextOf(db: Db, tenantId: string, column: 'package_id' | 'day', after: string): Promise<string | undefined> {
  const days = await db
    .selectFrom('delivery_days')
    .select((e) => e.fn.min<string | null>(column).as('next'))
    .where('tenant_id', '=', tenantId)
    .where(column, '>', after)
    .executeTakeFirst()
  if (column === 'day') return days?.next ?? undefined
  const ledger = await db
    .selectFrom('delivery_ledger')
    .select((e) => e.fn.min<string | null>('package_id').as('next'))
    .where('tenant_id', '=', tenantId)
    .where('package_id', '>', after)
    .executeTakeFirst()
  return [days?.next, ledger?.next].flatMap((next) => next ?? []).sort()[0]
}
