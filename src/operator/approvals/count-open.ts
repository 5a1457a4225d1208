import { countOpenDecisions } from '../../store/approval/count-open-decisions.ts'
import type { OperatorContext } from '../operator-context.ts'

/** The number of decisions that are open at a publisher: orders, changes, creatives, accounts, rights and escalations; at most 500 of each. */
export function countOpen({ store }: OperatorContext, tenantId: string): Promise<number> {
  return countOpenDecisions(store.read, tenantId)
}
