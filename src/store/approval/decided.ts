import type { Db } from '../database.ts'
import { type Approval, approvalOf } from './approvals.ts'
import type { ApprovalState } from './rows.ts'

/** States that are final. */
export const FINAL_STATES = ['approved', 'rejected', 'failed', 'expired', 'withdrawn'] as const satisfies readonly ApprovalState[]

/** Where a decision is in the list of them. */
export interface DecisionPosition {
  readonly decidedAt: string
  readonly taskId: string
}

/** What was decided at a publisher, in some of the {@link FINAL_STATES} and of one buyer where it is named, newest first. */
export async function listDecided(
  db: Db,
  tenantId: string,
  asked: {
    readonly states: readonly ApprovalState[]
    readonly principalId: string | undefined
    readonly after: DecisionPosition | undefined
    readonly limit: number
  },
): Promise<Approval[]> {
  const { states, principalId, after, limit } = asked
  let query = db.selectFrom('approvals').selectAll().where('tenant_id', '=', tenantId).where('decided_at', 'is not', null)
  if (after)
    query = query.where((eb) =>
      eb.or([
        eb('decided_at', '<', after.decidedAt),
        eb.and([eb('decided_at', '=', after.decidedAt), eb('task_id', '<', after.taskId)]),
      ]),
    )
  if (principalId !== undefined) query = query.where('principal_id', '=', principalId)
  const rows = await query
    .where('state', 'in', states)
    .orderBy('decided_at', 'desc')
    .orderBy('task_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(approvalOf)
}
