/** What a person or program of the publisher may do, the least first. */
export const ADMIN_ROLES = ['viewer', 'finance', 'ad_operations', 'administrator'] as const

export type AdminRole = (typeof ADMIN_ROLES)[number]

/** Whether a text names a role. */
export function isAdminRole(text: string): text is AdminRole {
  return ADMIN_ROLES.some((role) => role === text)
}
