import { listQueue, type QueueEntry, showTask, taskIdOf } from '../../tasks/approvals/queue.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What waits for a decision of the publisher: submitted tasks, creatives in review and new accounts, oldest first. */
export function listApprovals({ store }: OperatorContext, tenantId: string): Promise<readonly QueueEntry[]> {
  return listQueue(store.read, tenantId)
}

/** A submitted task with all it is about, decided or not. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for an id that is no task. */
export async function showApproval({ store }: OperatorContext, tenantId: string, id: string) {
  return showTask(store.read, tenantId, taskIdOf(id))
}

export type { QueueEntry }
