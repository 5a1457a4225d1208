import type { AdminRole } from './admin-role.ts'

/** Whose sign-in needs a second factor. */
export interface FactorPolicy {
  readonly roles: readonly AdminRole[]
  /** Whether a sign-in at the identity provider needs it too; otherwise the provider asks for its own. */
  readonly atProvider: boolean
}
