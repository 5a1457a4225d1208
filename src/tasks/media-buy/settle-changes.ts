import type { SettleChanges } from '../../ad-serving/reconcile/reconciler.ts'
import { closeChange, openChanges } from '../../store/ad-serving/ad-server-changes.ts'
import type { Store } from '../../store/database.ts'
import { advanceTask, findTask } from '../../store/task/tasks.ts'

/**
 * What becomes of changes of a buyer when its order was looked at: those that the ad server was seen to have complete their tasks; while it lacks something, the tasks say that
 * they wait, and why.
 */
export function settleChanges(store: Store, clock: () => Date, wake: () => void): SettleChanges {
  return async (order, lacks) => {
    if ((await openChanges(store.read, order)).length === 0) return
    await store.transaction(async (tx) => {
      for (const { taskId, answer } of await openChanges(tx, order)) {
        const task = await findTask(tx, order, taskId)
        if (lacks === undefined) {
          const isLast = await closeChange(tx, order, taskId)
          const change = { status: 'completed' as const, message: "Seen at the publisher's ad server", result: answer }
          if (task && isLast) await advanceTask(tx, order, task, change, clock())
        } else if (task && task.message !== lacks) {
          await advanceTask(tx, order, task, { status: 'submitted', message: lacks }, clock())
        }
      }
    })
    wake()
  }
}
