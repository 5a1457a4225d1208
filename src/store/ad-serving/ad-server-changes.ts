import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'

/** The order at one ad server. */
interface OrderRef {
  readonly tenantId: string
  readonly mediaBuyId: string
  readonly adServer: string
}

/** A change that waits. */
export interface OpenChange {
  readonly taskId: string
  readonly answer: object
}

/** Has a task wait until these ad servers have a media buy as it is now. In the transaction that changes it, after everything else that changes it. */
export async function awaitObserved(
  tx: Db,
  { tenantId, principalId, mediaBuyId }: PrincipalRef & { readonly mediaBuyId: string },
  adServers: readonly string[],
  { taskId, answer }: OpenChange,
): Promise<void> {
  const rows = await tx
    .selectFrom('ad_server_orders')
    .select(['ad_server', 'requested'])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('ad_server', 'in', adServers)
    .execute()
  for (const { ad_server, requested } of rows)
    await tx
      .insertInto('ad_server_changes')
      .values({
        tenant_id: tenantId,
        task_id: taskId,
        ad_server,
        media_buy_id: mediaBuyId,
        principal_id: principalId,
        requested,
        answer: JSON.stringify(answer),
      })
      .execute()
}

/** The most changes that are looked at. */
const MOST_CHANGES = 1_000

/** Changes of some orders of a buyer that an ad server was not seen to have yet, oldest first; one for each ad server. */
export async function changesAtAdServers(
  db: Db,
  owner: PrincipalRef,
  mediaBuyIds: readonly string[],
): Promise<{ readonly mediaBuyId: string; readonly taskId: string }[]> {
  const found: { mediaBuyId: string; taskId: string }[] = []
  for await (const chunk of chunksInTurns(mediaBuyIds)) {
    const rows = await db
      .selectFrom('ad_server_changes')
      .select(['media_buy_id', 'task_id'])
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('media_buy_id', 'in', chunk)
      .orderBy('requested')
      .orderBy('task_id')
      .limit(MOST_CHANGES)
      .execute()
    found.push(...rows.map(({ media_buy_id, task_id }) => ({ mediaBuyId: media_buy_id, taskId: task_id })))
  }
  return found
}

/** Changes that wait for an order as it was asked for then, or before. */
export async function openChanges(db: Db, order: OrderRef & { readonly requested: number }): Promise<OpenChange[]> {
  const rows = await db
    .selectFrom('ad_server_changes')
    .select(['task_id', 'answer'])
    .where('tenant_id', '=', order.tenantId)
    .where('media_buy_id', '=', order.mediaBuyId)
    .where('ad_server', '=', order.adServer)
    .where('requested', '<=', order.requested)
    .orderBy('requested')
    .execute()
  return rows.map(({ task_id: taskId, answer }) => ({ taskId, answer: JSON.parse(answer) }))
}

/** The ad server was seen to have a change. True when the task waits for no other one. */
export async function closeChange(tx: Db, { tenantId, adServer }: OrderRef, taskId: string): Promise<boolean> {
  const ofTask = tx.deleteFrom('ad_server_changes').where('tenant_id', '=', tenantId).where('task_id', '=', taskId)
  await ofTask.where('ad_server', '=', adServer).execute()
  const left = await tx
    .selectFrom('ad_server_changes')
    .select('ad_server')
    .where('tenant_id', '=', tenantId)
    .where('task_id', '=', taskId)
    .limit(1)
    .execute()
  return left.length === 0
}
