import type { AdminRole } from '../identity/admin-role.ts'

/** One of the publisher's people, as the console knows them. */
export interface Person {
  readonly personId: string
  /** Lower case; unique over the deployment. */
  readonly username: string
  readonly name: string
  /** For every publisher of the deployment; undefined: only what `roles` says. */
  readonly role: AdminRole | undefined
  /** By publisher. */
  readonly roles: ReadonlyMap<string, AdminRole>
  readonly isActive: boolean
}

/** The role of a person for a publisher; undefined: none, so that nothing of it is shown. */
export function roleFor({ role, roles }: Pick<Person, 'role' | 'roles'>, tenantId: string): AdminRole | undefined {
  return role ?? roles.get(tenantId)
}

/** Whether a person works for a publisher now. */
export function mayBeTold(person: Person | undefined, tenantId: string): boolean {
  return person?.isActive === true && roleFor(person, tenantId) !== undefined
}
