import type { Db } from '../database.ts'

/** How many orders that run, or will, have each of these products; products without any are left out. */
export async function liveOrdersOf(
  db: Db,
  tenantId: string,
  productIds: readonly string[],
  now: Date,
): Promise<{ readonly productId: string; readonly orders: number; readonly examples: readonly string[] }[]> {
  const found = []
  for (const productId of productIds) {
    const rows = await db
      .selectFrom('packages as p')
      .innerJoin('media_buys as m', (j) =>
        j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
      )
      .select('m.media_buy_id')
      .distinct()
      .where('p.tenant_id', '=', tenantId)
      .where('p.product_id', '=', productId)
      .where('m.decision', 'is', null)
      .where('m.ends_at', '>', now.toISOString())
      .orderBy('m.media_buy_id')
      .execute()
    const examples = rows.slice(0, MAX_EXAMPLES).map(({ media_buy_id: id }) => id)
    if (rows.length > 0) found.push({ productId, orders: rows.length, examples })
  }
  return found
}

/** Ids that a message can hold. */
const MAX_EXAMPLES = 5
