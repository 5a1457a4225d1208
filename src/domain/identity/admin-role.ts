/** What a person or program of the publisher may do, the least first. */
export const ADMIN_ROLES = ['viewer', 'finance', 'ad_operations', 'administrator'] as const

export type AdminRole = (typeof ADMIN_ROLES)[number]
