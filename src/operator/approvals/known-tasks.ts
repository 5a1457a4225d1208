import { submittedTasks } from '../../store/approval/approvals.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Those of the tasks that have a page in the inbox, decided or not; at most 100 ids. */
export function knownTasks({ store }: OperatorContext, tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return submittedTasks(store.read, tenantId, [...new Set(ids)].slice(0, 100))
}
