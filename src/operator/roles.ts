import { ADMIN_ROLES, type AdminRole } from '../domain/identity/admin-role.ts'

/** Who may read: everybody with a role, money included; secrets are never shown again. */
export const READERS: readonly AdminRole[] = ADMIN_ROLES
/** Roles that change what is sold, and decide on what buyers send. */
export const SELLERS: readonly AdminRole[] = ['ad_operations', 'administrator']
/** Who decides on money. */
export const ACCOUNTANTS: readonly AdminRole[] = ['finance', 'administrator']
/** Everybody but viewers: who decides on what concerns sales and money both, and keeps reports for all who read them. */
export const EDITORS: readonly AdminRole[] = ['finance', 'ad_operations', 'administrator']
/** Who decides on people, keys and settings. */
export const ADMINISTRATORS: readonly AdminRole[] = ['administrator']
