import type { AdminRole } from '../identity/admin-role.ts'
import type { FactorPolicy } from '../identity/factor-policy.ts'
import type { Person } from './person.ts'

/** How a person has shown who they are, before any second factor: with the password here, or at the identity provider. */
export type SignInWay = 'password' | 'provider'

/** What a person shows beside the password: a code of an authenticator app, a passkey, or one of the recovery codes. */
export type FactorKind = 'totp' | 'passkey' | 'recovery'

/** What people call the factors that they set up. */
export const FACTOR_NAMES = { totp: 'An authenticator app', passkey: 'A passkey' } as const

/**
 * Whether a sign-in needs a second factor: because of the role of the person for a publisher, or for every publisher. `ofDeployment` holds at every publisher, `ofPublishers`, by id, at one.
 */
export function needsFactor(
  { role, roles }: Pick<Person, 'role' | 'roles'>,
  way: SignInWay,
  ofDeployment: FactorPolicy,
  ofPublishers: ReadonlyMap<string, FactorPolicy>,
): boolean {
  const asks = (policy: FactorPolicy | undefined, of: AdminRole) =>
    policy?.roles.includes(of) === true && (way === 'password' || policy.atProvider)
  if (role !== undefined) return [ofDeployment, ...ofPublishers.values()].some((policy) => asks(policy, role))
  return [...roles].some(([tenantId, own]) => asks(ofDeployment, own) || asks(ofPublishers.get(tenantId), own))
}
