import { AdcpError } from '../../errors.ts'
import type { Owner } from '../../store/accounts.ts'
import type { Store } from '../../store/database.ts'
import { deleteSubmittedOrder, getSubmittedOrder } from '../../store/submitted-orders.ts'
import { advanceTask, getTask, type StoredTask } from '../../store/tasks.ts'

/**
 * The buyer takes back an order that waits for the seller's decision: nothing is booked, and its task ends as canceled. Throws
 * REFERENCE_NOT_FOUND when no such order of this agent waits, CONFLICT when it is decided at the same moment.
 */
export async function withdrawOrder(store: Store, owner: Owner, taskId: string, now: Date): Promise<StoredTask> {
  const { principalId } = await getSubmittedOrder(store.read, owner.tenantId, taskId)
  if (principalId !== owner.principalId) throw new AdcpError('REFERENCE_NOT_FOUND', 'no order waits under this task')
  return store.transaction(async (tx) => {
    await deleteSubmittedOrder(tx, owner.tenantId, taskId)
    const task = await getTask(tx, owner, taskId)
    return advanceTask(tx, owner, task, { status: 'canceled', message: 'withdrawn by the buyer' }, now)
  })
}
