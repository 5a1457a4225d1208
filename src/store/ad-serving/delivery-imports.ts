import type { Db } from '../database.ts'

/** An order at an ad server. */
interface OrdersAt {
  readonly tenantId: string
  readonly adServer: string
  readonly mediaBuyIds: readonly string[]
}

/** How many imports of each of these orders (media buys, or what the ad server calls others) added to the ledger so far; what is not at the ad server has none. */
export async function importsOf(db: Db, { tenantId, adServer, mediaBuyIds }: OrdersAt): Promise<ReadonlyMap<string, number>> {
  if (mediaBuyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['media_buy_id', 'imports'])
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  const others = await db
    .selectFrom('orders')
    .select(['external_id', 'imports'])
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where('external_id', 'in', mediaBuyIds)
    .execute()
  return new Map([
    ...rows.map((row) => [row.media_buy_id, row.imports] as const),
    ...others.map((row) => [row.external_id, row.imports] as const),
  ])
}

/** Counts an import of orders, in the transaction that adds it. False when another one has added to one of them since `before`. */
export async function countImport(tx: Db, orders: OrdersAt, before: ReadonlyMap<string, number>): Promise<boolean> {
  const { tenantId, adServer, mediaBuyIds } = orders
  for (const mediaBuyId of [...mediaBuyIds].sort()) {
    const imports = before.get(mediaBuyId)
    // Not reconciled there any more: nothing else imports it.
    if (imports === undefined) continue
    const { numUpdatedRows } = await tx
      .updateTable('ad_server_orders')
      .set({ imports: imports + 1 })
      .where('tenant_id', '=', tenantId)
      .where('media_buy_id', '=', mediaBuyId)
      .where('ad_server', '=', adServer)
      .where('imports', '=', imports)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n && !(await countImportOfOrder(tx, { tenantId, adServer }, mediaBuyId, imports))) return false
  }
  return true
}

/** The same for an order that people entered. */
async function countImportOfOrder(
  tx: Db,
  { tenantId, adServer }: Omit<OrdersAt, 'mediaBuyIds'>,
  externalId: string,
  imports: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('orders')
    .set({ imports: imports + 1 })
    .where('tenant_id', '=', tenantId)
    .where('external_id', '=', externalId)
    .where('ad_server', '=', adServer)
    .where('imports', '=', imports)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
