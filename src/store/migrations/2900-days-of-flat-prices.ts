import type { Kysely } from 'kysely'

interface Before {
  ad_server_orders: { tenant_id: string; media_buy_id: string; reported_at: string | null }
  packages: { tenant_id: string; package_id: string; media_buy_id: string; document: string }
}

/**
 * A flat price is earned by days of the publisher's calendar, and not of UTC, where an ad server reports days: orders with one are reported from their first day again, once, so that the days of each add up
 * to its price.
 */
export async function up(db: Kysely<Before>): Promise<void> {
  await db
    .updateTable('ad_server_orders')
    .set({ reported_at: null })
    .where('reported_at', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('packages')
          .select('package_id')
          .whereRef('packages.tenant_id', '=', 'ad_server_orders.tenant_id')
          .whereRef('packages.media_buy_id', '=', 'ad_server_orders.media_buy_id')
          .where((w) => w.or(['flat_rate', 'time'].map((model) => w('document', 'like', `%"model":"${model}"%`)))),
      ),
    )
    .execute()
}
