import type { IdMemory, RememberedId } from '../../domain/ad-serving/id-memory.ts'
import type { Store } from '../database.ts'

export interface AdServerIdTables {
  /** What an ad server that does not store our ids calls an order, a line or a creative of ours. */
  ad_server_ids: {
    tenant_id: string
    ad_server: string
    order_id: string
    kind: RememberedId['kind']
    external_id: string
    their_id: string
    version: string
  }
}

/** The stored ids of one ad server. */
export function storedIds(store: Store, adServer: string): IdMemory {
  return {
    async list({ tenantId, externalId }) {
      const rows = await store.read
        .selectFrom('ad_server_ids')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('ad_server', '=', adServer)
        .where('order_id', '=', externalId)
        .execute()
      return rows.map((row) => ({ kind: row.kind, externalId: row.external_id, theirId: row.their_id, version: row.version }))
    },
    async save({ tenantId, externalId: orderId }, { kind, externalId, theirId, version }) {
      await store.transaction((tx) =>
        tx
          .insertInto('ad_server_ids')
          .values({
            tenant_id: tenantId,
            ad_server: adServer,
            order_id: orderId,
            kind,
            external_id: externalId,
            their_id: theirId,
            version,
          })
          .onConflict((c) =>
            c.columns(['tenant_id', 'ad_server', 'order_id', 'kind', 'external_id']).doUpdateSet({ their_id: theirId, version }),
          )
          .execute(),
      )
    },
  }
}
