import type { Act } from '../act.ts'
import { addUser, allowUser, disallowUser, listUsers, revokeUser } from './manage-users.ts'

/** What can be done with user names of buyers, in the order of the help. */
export const userActs: readonly Act[] = [addUser, allowUser, disallowUser, listUsers, revokeUser]
