import { AdcpError } from '../../protocol/errors.ts'
import type { SessionFacts } from './session.ts'

/** A part of what a user may agree to share. */
type Shared = 'name' | 'email' | 'shipping_address' | 'phone' | 'locale'

interface User {
  readonly email?: string
  readonly name?: string
  readonly locale?: string
  readonly phone?: string
  readonly shipping_address?: object
}

/** Who talks, and how far they agreed to say so. */
interface Identity {
  readonly consent_granted: boolean
  readonly consent_timestamp?: string
  readonly consent_scope?: readonly Shared[]
  readonly privacy_policy_acknowledged?: { readonly brand_policy_version?: string }
  readonly user?: User
  readonly anonymous_session_id?: string
}

/** What may be stored of a user: nothing without consent, and with it what the consent covers. */
export interface KeptIdentity {
  readonly consent: SessionFacts['consent']
  /** To be sealed. */
  readonly user: Partial<User> | undefined
  /** To be sealed: the host's own id of an anonymous user. */
  readonly anonymousId: string | undefined
}

/**
 * Reads the identity of a session (AdCP sponsored-intelligence/si-identity.json). Throws INVALID_REQUEST when a user is named without consent: the
 * host has to learn that it must not send that.
 */
export function keptIdentity(identity: Identity): KeptIdentity {
  const { consent_granted: granted, consent_timestamp: at, consent_scope: scope, user } = identity
  if (!granted && user && Object.keys(user).length > 0) {
    throw new AdcpError('INVALID_REQUEST', 'identity.user came without consent; none of it was stored', {
      field: 'identity.user',
      suggestion: 'leave user out, or ask the user and set consent_granted',
    })
  }
  const allowed = granted && user ? covered(user, scope) : undefined
  const version = identity.privacy_policy_acknowledged?.brand_policy_version
  return {
    consent: {
      granted,
      ...(at !== undefined && { at }),
      ...(scope && { scope: [...scope] }),
      ...(version !== undefined && { policyVersion: version }),
    },
    user: allowed && Object.keys(allowed).length > 0 ? allowed : undefined,
    anonymousId: granted ? undefined : identity.anonymous_session_id,
  }
}

/** Without a stated scope, the consent is to what was sent. */
function covered(user: User, scope: Identity['consent_scope']): Partial<User> {
  const { email, name, locale, phone, shipping_address: address } = user
  const may = (part: Shared) => scope?.includes(part) ?? true
  return {
    ...(email !== undefined && may('email') && { email }),
    ...(name !== undefined && may('name') && { name }),
    ...(locale !== undefined && may('locale') && { locale }),
    ...(phone !== undefined && may('phone') && { phone }),
    ...(address !== undefined && may('shipping_address') && { shipping_address: address }),
  }
}
