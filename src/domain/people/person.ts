/** What a person may do for a publisher; each role is described in docs/console.md. */
export const ROLES = ['administrator', 'ad_operations', 'finance', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** One of the publisher's people, as the console knows them. */
export interface Person {
  readonly personId: string
  /** Lower case; unique over the deployment. */
  readonly username: string
  readonly name: string
  /** For every publisher of the deployment; undefined: only what `roles` says. */
  readonly role: Role | undefined
  /** By publisher. */
  readonly roles: ReadonlyMap<string, Role>
  readonly isActive: boolean
}

/** The role of a person for a publisher; undefined: none, so that nothing of it is shown. */
export function roleFor({ role, roles }: Pick<Person, 'role' | 'roles'>, tenantId: string): Role | undefined {
  return role ?? roles.get(tenantId)
}

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}
