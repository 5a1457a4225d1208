import { isActive, type ProviderRegistration } from '../provider-registration.ts'
import type { IdentityRequest } from './identity-messages.ts'
import { distinctIdentities } from './identity-signature-base.ts'

/**
 * The request as one provider may see it, undefined when it is not asked at all (router architecture, "Identity Match fan-out"): only tokens of the types
 * that it registered, without the country, and without sealed credentials, whose keys no registration names.
 */
export function forwardedIdentity(provider: ProviderRegistration, request: IdentityRequest): IdentityRequest | undefined {
  const { identity_match = false, countries = [], uid_types: types = [] } = provider
  const { country, sealed_credentials: _sealed, ...forwarded } = request
  if (!isActive(provider) || !identity_match) return undefined
  if (country === undefined || !countries.includes(country)) return undefined
  const identities = distinctIdentities(request.identities).filter(({ uid_type }) => types.includes(uid_type))
  return identities.length === 0 ? undefined : { ...forwarded, identities }
}
