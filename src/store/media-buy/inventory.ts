import { type DayLoad, dailyShares } from '../../domain/media-buy/inventory.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
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

/** What a package holds: its reservation spread over its flight. */
function holdOf(pkg: Package | undefined): Map<string, number> {
  if (!pkg || pkg.reservedImpressions === 0) return new Map()
  return new Map(dailyShares(pkg.reservedImpressions, pkg.terms).map(({ day, impressions }) => [day, impressions]))
}

/**
 * Moves the reservation of a package from what it was to what it is, in one statement that locks the days in order. Gives the load of
 * the days that got fuller, this package included, for the caller to judge: a throw rolls the whole back, so that two buyers
 * at the same moment cannot both take the last impressions.
 */
export async function moveReservation(
  tx: Db,
  { tenantId, pool }: Pool,
  before: Package | undefined,
  after: Package | undefined,
): Promise<DayLoad[]> {
  const productId = after?.productId ?? before?.productId
  const [old, next] = [holdOf(before), holdOf(after)]
  const changes = [...new Set([...old.keys(), ...next.keys()])]
    .sort()
    .map((day) => ({ day, delta: (next.get(day) ?? 0) - (old.get(day) ?? 0) }))
    .filter(({ delta }) => delta !== 0)
  if (productId === undefined || changes.length === 0) return []
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
  const fuller = new Set(changes.filter(({ delta }) => delta > 0).map(({ day }) => day))
  return rows.filter(({ day }) => fuller.has(day)).map(({ day, reserved }) => ({ day, reserved: Number(reserved) }))
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
