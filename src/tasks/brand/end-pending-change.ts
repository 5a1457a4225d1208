import type { RightsGrant } from '../../domain/rights/grant.ts'
import type { Db } from '../../store/database.ts'
import { advanceTask, getTask, type TaskChange } from '../../store/task/tasks.ts'

/** Completes the task of a pending change of a grant, and sends the buyer's webhook. Does nothing for a change without a task. */
export async function endPendingChange(
  tx: Db,
  tenantId: string,
  { principalId, pendingTaskId }: RightsGrant,
  change: Omit<TaskChange, 'at'>,
  now: Date,
): Promise<void> {
  if (pendingTaskId === undefined) return
  const owner = { tenantId, principalId }
  await advanceTask(tx, owner, await getTask(tx, owner, pendingTaskId), change, now)
}
