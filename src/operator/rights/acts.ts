import type { Act } from '../act.ts'
import { approveRights, rejectRights, revokeRights } from './decide-rights.ts'
import { listGrants, listPendingRights } from './list-rights.ts'

/** What can be done with grants of rights, in the order of the help. */
export const rightsActs: readonly Act[] = [listGrants, listPendingRights, approveRights, rejectRights, revokeRights]
