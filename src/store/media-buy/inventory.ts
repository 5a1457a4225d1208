import type { ExpressionBuilder } from 'kysely'
import { type Period, periodsAround, spanOf } from '../../domain/media-buy/calendar-period.ts'
import { type PeriodChange, rowsToWrite } from '../../domain/media-buy/inventory.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import type { InventoryTables } from './rows.ts'

export interface Pool {
  readonly tenantId: string
  readonly pool: string
}

/** Rows of one statement: a few milliseconds of work, after which other calls get their turn. */
const ROWS_A_STATEMENT = 200
const ROWS_A_READ = 2_000
const DAY_LENGTH = 'YYYY-MM-DD'.length

/**
 * Changes what is held of a product and gives what is held afterwards on the days where it became more, for the caller to judge. Rows are written in
 * order, those of the periods around included: bookings that share a day lock a row in common and lock in one order, so that two buyers at
 * the same moment cannot both take the last impressions. `changes`: in order.
 */
export async function moveReservation(
  tx: Db,
  pool: Pool,
  productId: string,
  changes: readonly PeriodChange[],
): Promise<Map<Period, number>> {
  const rows = rowsToWrite(changes)
  const held = new Map<Period, number>()
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    if (at > 0) await yieldToEventLoop()
    for (const { period, reserved } of await moveRows(tx, pool, productId, rows.slice(at, at + ROWS_A_STATEMENT)))
      held.set(period, Number(reserved))
  }
  const fuller = changes.filter(({ delta }) => delta > 0).map(({ period }) => period)
  // What lies in a day is the day; of a longer period others may hold parts.
  if (fuller.every((period) => period.length === DAY_LENGTH)) return held
  return reservedIn(tx, pool, productId, spanOf(fuller))
}

function moveRows(tx: Db, { tenantId, pool }: Pool, productId: string, rows: readonly PeriodChange[]) {
  return tx
    .insertInto('inventory_periods')
    .values(rows.map(({ period, delta }) => ({ tenant_id: tenantId, pool, product_id: productId, period, reserved: delta })))
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'pool', 'product_id', 'period'])
        .doUpdateSet((eb) => ({ reserved: eb('inventory_periods.reserved', '+', eb.ref('excluded.reserved')) })),
    )
    .returning(['period', 'reserved'])
    .execute()
}

/** Impressions held of a product each day, by period: all that the days of a range (inclusive, `YYYY-MM-DD`) lie in. */
export async function reservedIn(
  db: Db,
  pool: Pool,
  productId: string,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<Map<Period, number>> {
  const held = new Map<Period, number>()
  let after: Period | undefined
  do {
    const rows = await readRows(db, pool, productId, { first, last, after })
    for (const { period, reserved } of rows) held.set(period, Number(reserved))
    after = rows.length < ROWS_A_READ ? undefined : rows.at(-1)?.period
    if (after !== undefined) await yieldToEventLoop()
  } while (after !== undefined)
  return held
}

/** As reservedIn, of some products at once: for ranges of a few days. By product id; one that nothing is held of is absent. */
export async function reservedOfProducts(
  db: Db,
  { tenantId, pool }: Pool,
  productIds: readonly string[],
  days: { readonly first: string; readonly last: string },
): Promise<Map<string, Map<Period, number>>> {
  const held = new Map<string, Map<Period, number>>()
  if (productIds.length === 0) return held
  const rows = await db
    .selectFrom('inventory_periods')
    .select(['product_id', 'period', 'reserved'])
    .where('tenant_id', '=', tenantId)
    .where('pool', '=', pool)
    .where('product_id', 'in', productIds)
    .where(liesIn(days))
    .execute()
  for (const { product_id: id, period, reserved } of rows) {
    const own = held.get(id) ?? new Map<Period, number>()
    held.set(id, own.set(period, Number(reserved)))
  }
  return held
}

/** The periods that the days of a range lie in. A period around a later day than the first one begins in the range, and sorts there. */
function liesIn({ first, last }: { readonly first: string; readonly last: string }) {
  return (eb: ExpressionBuilder<InventoryTables, 'inventory_periods'>) =>
    eb.or([eb('period', 'in', periodsAround(first)), eb.and([eb('period', '>=', first), eb('period', '<=', last)])])
}

function readRows(
  db: Db,
  { tenantId, pool }: Pool,
  productId: string,
  { first, last, after }: { readonly first: string; readonly last: string; readonly after: Period | undefined },
) {
  return db
    .selectFrom('inventory_periods')
    .select(['period', 'reserved'])
    .where('tenant_id', '=', tenantId)
    .where('pool', '=', pool)
    .where('product_id', '=', productId)
    .where(liesIn({ first, last }))
    .$if(after !== undefined, (query) => query.where('period', '>', after ?? ''))
    .orderBy('period')
    .limit(ROWS_A_READ)
    .execute()
}
