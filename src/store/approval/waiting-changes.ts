import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { CHANGE_TASKS } from '../../domain/media-buy/waits-for.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { type Approval, approvalOf, OPEN_STATES } from './approvals.ts'

const CHANGES: readonly string[] = CHANGE_TASKS

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
