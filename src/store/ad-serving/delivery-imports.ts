import type { Db } from '../database.ts'

/** An order at an ad server. */
interface OrdersAt {
  readonly tenantId: string
  readonly adServer: string
  readonly mediaBuyIds: readonly string[]
}

/** How many imports of each of these orders added to the ledger so far, by media buy; what is not at the ad server has none. */
export async function importsOf(db: Db, { tenantId, adServer, mediaBuyIds }: OrdersAt): Promise<ReadonlyMap<string, number>> {
  if (mediaBuyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['media_buy_id', 'imports'])
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  return new Map(rows.map((row) => [row.media_buy_id, row.imports]))
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
    if (numUpdatedRows !== 1n) return false
  }
  return true
}
