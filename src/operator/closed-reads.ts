import type { AdminRole } from '../domain/identity/admin-role.ts'
import type { Act } from './act.ts'
import { ACTS } from './acts.ts'

/** Acts of a publisher that only read and that a role may not carry out: previews of what others change, and where people and systems are reached. */
export function closedReads(role: AdminRole): readonly Act[] {
  return ACTS.filter(({ scope, changes, roles }) => scope === 'publisher' && !changes && !roles.includes(role))
}
