import type { Act } from '../act.ts'
import { decideEscalation, revokeApproval } from './decide-escalation.ts'
import { listEscalations, showEscalation, verifyPlanLog } from './show-escalations.ts'

/** What can be done with spending that needs a person's decision, in the order of the help. */
export const governanceActs: readonly Act[] = [listEscalations, showEscalation, decideEscalation, verifyPlanLog, revokeApproval]
