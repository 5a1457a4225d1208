import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { type Approval, approvalOf, OPEN_STATES } from './approvals.ts'

/** Tasks that change an order. */
const CHANGES: readonly string[] = ['update_media_buy', 'control_media_buy']

/** The most changes that are looked at. */
const MOST_CHANGES = 1_000

/** The changes of some orders of a buyer that are not decided or not carried out yet, oldest first. */
export async function waitingChanges(db: Db, owner: PrincipalRef, mediaBuyIds: readonly string[]): Promise<Approval[]> {
  const changes: Approval[] = []
  for await (const chunk of chunksInTurns(mediaBuyIds)) {
    const rows = await db
      .selectFrom('approvals')
      .selectAll()
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('media_buy_id', 'in', chunk)
      .where('task_type', 'in', CHANGES)
      .where('state', 'in', [...OPEN_STATES, 'approving'])
      .orderBy('created_at')
      .orderBy('task_id')
      .limit(MOST_CHANGES)
      .execute()
    changes.push(...rows.map(approvalOf))
  }
  return changes
}
