import type { DayChange, DayLoad } from '../../domain/media-buy/inventory.ts'
import { turn } from '../../platform/turn.ts'
import type { Db } from '../database.ts'

export interface InventoryTables {
  inventory_days: {
    tenant_id: string
    /** '' for real inventory, else the sandbox principal that simulates with it. */
    pool: string
    product_id: string
    /** `YYYY-MM-DD`, UTC. */
    day: string
    reserved: number
  }
}

export interface Pool {
  readonly tenantId: string
  readonly pool: string
}

/** Days of one statement: a few milliseconds of work, after which others get their turn. */
const DAYS_A_STATEMENT = 200

/**
 * Moves what is held of a product on some days, given in order, so that whoever else moves them locks them in the same order. Gives the
 * load of the days that got fuller, for the caller to judge: a throw rolls the whole back, so that two buyers at the same moment cannot
 * both take the last impressions.
 */
export async function moveReservation(tx: Db, pool: Pool, productId: string, changes: readonly DayChange[]): Promise<DayLoad[]> {
  const loads: DayLoad[] = []
  for (let at = 0; at < changes.length; at += DAYS_A_STATEMENT) {
    if (at > 0) await turn()
    loads.push(...(await moveDays(tx, pool, productId, changes.slice(at, at + DAYS_A_STATEMENT))))
  }
  const fuller = new Set(changes.filter(({ delta }) => delta > 0).map(({ day }) => day))
  return loads.filter(({ day }) => fuller.has(day))
}

async function moveDays(tx: Db, { tenantId, pool }: Pool, productId: string, changes: readonly DayChange[]): Promise<DayLoad[]> {
  const rows = await tx
    .insertInto('inventory_days')
    .values(changes.map(({ day, delta }) => ({ tenant_id: tenantId, pool, product_id: productId, day, reserved: delta })))
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'pool', 'product_id', 'day'])
        .doUpdateSet((eb) => ({ reserved: eb('inventory_days.reserved', '+', eb.ref('excluded.reserved')) })),
    )
    .returning(['day', 'reserved'])
    .execute()
  return rows.map(({ day, reserved }) => ({ day, reserved: Number(reserved) }))
}

/** Impressions held of a product on the days of a range (inclusive, `YYYY-MM-DD`). */
export async function reservedByDay(
  db: Db,
  { tenantId, pool }: Pool,
  productId: string,
  first: string,
  last: string,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('inventory_days')
    .select(['day', 'reserved'])
    .where('tenant_id', '=', tenantId)
    .where('pool', '=', pool)
    .where('product_id', '=', productId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute()
  return new Map(rows.map(({ day, reserved }) => [day, Number(reserved)]))
}
