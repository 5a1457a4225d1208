import { chunksOf, ORDERS, readChunks } from '../chunks.ts'
import type { Db } from '../database.ts'

/** The lines of orders, by what their ad server calls them: packages of media buys, and lines of orders that people entered; each with its order. */
export async function linesOfOrders(
  db: Db,
  tenantId: string,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await readChunks(
    externalIds,
    async (some) => {
      const packages = await db
        .selectFrom('packages')
        .select(['package_id as line_id', 'media_buy_id as external_id'])
        .where('tenant_id', '=', tenantId)
        .where('media_buy_id', 'in', some)
        .execute()
      const lines = await db
        .selectFrom('order_lines as l')
        .innerJoin('orders as o', (j) => j.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
        .select(['l.line_id', 'o.external_id'])
        .where('o.tenant_id', '=', tenantId)
        .where('o.external_id', 'in', some)
        .execute()
      return [...packages, ...lines]
    },
    ORDERS,
  )
  return new Map(found.map((row) => [row.line_id, row.external_id]))
}

/** The flights of media buys of one publisher, ISO 8601 UTC, by media buy; what is gone has none. */
export async function flightsOfBuys(
  db: Db,
  orders: readonly { readonly tenantId: string; readonly mediaBuyId: string }[],
): Promise<ReadonlyMap<string, { readonly startsAt: string; readonly endsAt: string }>> {
  const [first] = orders
  if (!first) return new Map()
  const rows = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'starts_at', 'ends_at'])
    .where('tenant_id', '=', first.tenantId)
    .where(
      'media_buy_id',
      'in',
      orders.map(({ mediaBuyId }) => mediaBuyId),
    )
    .execute()
  return new Map(rows.map((row) => [row.media_buy_id, { startsAt: row.starts_at, endsAt: row.ends_at }]))
}

/** The media buy of each of these packages of a publisher; what does not exist has none. */
export async function buysOfPackages(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const ids of chunksOf(packageIds)) {
    const packages = db.selectFrom('packages').select(['package_id', 'media_buy_id'])
    const rows = await packages.where('tenant_id', '=', tenantId).where('package_id', 'in', ids).execute()
    for (const row of rows) found.set(row.package_id, row.media_buy_id)
  }
  return found
}
