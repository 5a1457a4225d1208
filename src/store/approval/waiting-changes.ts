import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { type Approval, approvalOf, OPEN_STATES } from './approvals.ts'

/** Tasks that change an order. */
const CHANGES: readonly string[] = ['update_media_buy', 'control_media_buy']

/** The most changes of one buyer that are looked at. */
const MOST_CHANGES = 1_000

/** The changes of a buyer that are not decided or not carried out yet, of one order or of all, oldest first. */
export async function waitingChanges(db: Db, owner: PrincipalRef, mediaBuyId?: string): Promise<Approval[]> {
  let query = db
    .selectFrom('approvals')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task_type', 'in', CHANGES)
    .where('state', 'in', [...OPEN_STATES, 'approving'])
  if (mediaBuyId !== undefined) query = query.where('summary', 'like', `%"media_buy_id":${JSON.stringify(mediaBuyId)}%`)
  const rows = await query.orderBy('created_at').orderBy('task_id').limit(MOST_CHANGES).execute()
  const changes = rows.map(approvalOf)
  // The pattern finds more: `_` is any character in it.
  return mediaBuyId === undefined ? changes : changes.filter(({ summary }) => summary.media_buy_id === mediaBuyId)
}
