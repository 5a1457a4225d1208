import { type IdMemory, MADE_ANEW } from '../../domain/ad-serving/id-memory.ts'
import type { Db, Store } from '../database.ts'

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
      return rows.map((row) => ({
        kind: row.kind,
        externalId: row.external_id,
        theirId: row.their_id,
        version: row.version,
        ...(row.memo !== null && { memo: row.memo }),
      }))
    },
    async save({ tenantId, externalId: orderId }, { kind, externalId, theirId, version, memo }) {
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
            memo: memo ?? null,
          })
          .onConflict((c) =>
            c
              .columns(['tenant_id', 'ad_server', 'order_id', 'kind', 'external_id'])
              .doUpdateSet({ their_id: theirId, version, memo: memo ?? null }),
          )
          .execute(),
      )
    },
    async known(tenantId, kind, theirIds) {
      if (theirIds.length === 0) return new Set()
      const rows = await store.read
        .selectFrom('ad_server_ids')
        .select('their_id')
        .where('tenant_id', '=', tenantId)
        .where('ad_server', '=', adServer)
        .where('kind', '=', kind)
        .where('their_id', 'in', theirIds)
        .execute()
      return new Set(rows.map(({ their_id }) => their_id))
    },
  }
}

/**
 * Forgets what is remembered of an order, or of one line of it: a person said that it is not there any more. What is left is a mark (version `anew`, without an id): whatever
 * looks like it at the ad server is not ours.
 */
export async function forgetIds(
  tx: Db,
  at: { readonly tenantId: string; readonly adServer: string; readonly mediaBuyId: string },
  line: string | undefined,
): Promise<void> {
  const all = tx
    .deleteFrom('ad_server_ids')
    .where('tenant_id', '=', at.tenantId)
    .where('ad_server', '=', at.adServer)
    .where('order_id', '=', at.mediaBuyId)
  await (line === undefined ? all : all.where('kind', '=', 'line').where('external_id', '=', line)).execute()
  const mark = { kind: line === undefined ? ('order' as const) : ('line' as const), external_id: line ?? at.mediaBuyId }
  await tx
    .insertInto('ad_server_ids')
    .values({
      tenant_id: at.tenantId,
      ad_server: at.adServer,
      order_id: at.mediaBuyId,
      ...mark,
      their_id: '',
      version: MADE_ANEW,
      memo: null,
    })
    .execute()
}
