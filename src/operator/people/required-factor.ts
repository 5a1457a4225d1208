import type { Config } from '../../config/config.ts'
import type { FactorPolicy } from '../../domain/identity/factor-policy.ts'
import type { Person } from '../../domain/people/person.ts'
import { needsFactor, type SignInWay } from '../../domain/people/second-factor.ts'
import type { ShownTenant } from '../tenants/present-tenant.ts'

/** Whether a sign-in of a person needs a second factor, by the settings of the deployment and of these publishers. */
export function requiresFactor(
  { console }: Pick<Config, 'console'>,
  publishers: readonly ShownTenant[],
  person: Pick<Person, 'role' | 'roles'>,
  way: SignInWay,
): boolean {
  const ofPublishers = publishers.map(({ tenant, settings }): [string, FactorPolicy] => [
    tenant,
    { roles: settings.second_factor, atProvider: settings.second_factor_at_provider },
  ])
  const ofDeployment = { roles: console.secondFactor, atProvider: console.secondFactorAtProvider }
  return needsFactor(person, way, ofDeployment, new Map(ofPublishers))
}
