import { isActive, type ProviderRegistration } from '../provider-registration.ts'
import type { IdentityRequest } from './identity-messages.ts'
import { distinctIdentities } from './identity-signature-base.ts'

/**
 * The request as one provider may see it, undefined when it is not asked at all (router architecture, "Identity Match fan-out"): only tokens of the types
 * that it registered, without the country, and without sealed credentials, whose keys no registration names.
 */
export function forwardedIdentity(provider: ProviderRegistration, request: IdentityRequest): IdentityRequest | undefined {
  return forwardedIdentities(request)(provider)
}

/** {@link forwardedIdentity} for several providers of one request: those that may see the same tokens get the same object. */
export function forwardedIdentities(request: IdentityRequest): (provider: ProviderRegistration) => IdentityRequest | undefined {
  const { country, sealed_credentials: _sealed, ...rest } = request
  const distinct = distinctIdentities(request.identities)
  const made = new Map<string, IdentityRequest>()
  return (provider) => {
    const { identity_match = false, countries = [], uid_types: types = [] } = provider
    if (!isActive(provider) || !identity_match) return undefined
    if (country === undefined || !countries.includes(country)) return undefined
    const isShown = distinct.map(({ uid_type }) => types.includes(uid_type))
    if (!isShown.includes(true)) return undefined
    const name = isShown.join()
    const forwarded = made.get(name) ?? { ...rest, identities: distinct.filter((_identity, index) => isShown[index]) }
    made.set(name, forwarded)
    return forwarded
  }
}
