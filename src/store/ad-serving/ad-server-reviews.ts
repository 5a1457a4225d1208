import type { ReviewState } from '../../domain/ad-serving/observed-order.ts'
import type { Db } from '../database.ts'

/** The approval of a media buy at one of its ad servers. */
export interface StoredReview {
  readonly adServer: string
  readonly taskId: string
  readonly state: ReviewState
}

interface BuyKey {
  readonly tenantId: string
  readonly mediaBuyId: string
}

/** A task of the buyer waits from now on until these ad servers have approved the order. */
export async function awaitReviews(
  tx: Db,
  { tenantId, mediaBuyId }: BuyKey,
  adServers: readonly string[],
  taskId: string,
): Promise<void> {
  await tx
    .updateTable('ad_server_orders')
    .set({ task_id: taskId, review: 'waiting' })
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('ad_server', 'in', adServers)
    .execute()
}

/** Writes what an ad server decided. */
export async function recordReview(
  tx: Db,
  { tenantId, mediaBuyId, adServer }: BuyKey & { readonly adServer: string },
  review: ReviewState,
): Promise<void> {
  await tx
    .updateTable('ad_server_orders')
    .set({ review })
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('ad_server', '=', adServer)
    .execute()
}

/** The approvals that a task waits or waited for. */
export async function reviewsOf(db: Db, { tenantId, mediaBuyId }: BuyKey): Promise<StoredReview[]> {
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['ad_server', 'task_id', 'review'])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .execute()
  return rows.flatMap(({ ad_server: adServer, task_id: taskId, review: state }) =>
    taskId === null || state === null ? [] : [{ adServer, taskId, state }],
  )
}
