import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { changeApproval, listApprovals, OPEN_STATES } from '../../store/approval/approvals.ts'
import { MAX_OPEN_DECISIONS } from '../../store/approval/count-open-decisions.ts'
import type { Db } from '../../store/database.ts'
import { advanceTask, getTask } from '../../store/task/tasks.ts'

/** Tasks that change an order. */
const CHANGES: readonly string[] = ['update_media_buy', 'control_media_buy']

/** Ends the changes of a canceled order that still wait for a decision: there is nothing left to decide, and nobody shall believe that there is. */
export async function endWaitingChanges(tx: Db, owner: PrincipalRef, mediaBuyId: string, now: Date): Promise<void> {
  const open = await listApprovals(tx, owner.tenantId, OPEN_STATES, MAX_OPEN_DECISIONS)
  const waiting = open.filter(
    ({ principalId, taskType, summary }) =>
      principalId === owner.principalId && CHANGES.includes(taskType) && summary.media_buy_id === mediaBuyId,
  )
  for (const approval of waiting) {
    // Somebody decides on it in this moment: what comes of that is said by whoever decides.
    if (!(await changeApproval(tx, approval, { state: 'withdrawn', note: 'the order was canceled' }, now))) continue
    const task = await getTask(tx, approval, approval.taskId)
    await advanceTask(tx, approval, task, { status: 'canceled', message: 'the order was canceled before this was decided' }, now)
  }
}
