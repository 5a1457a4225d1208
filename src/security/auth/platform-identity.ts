import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { findUserIdentity } from '../../store/identity/user-principals.ts'
import { readableAuthorization } from './authorization-header.ts'
import { type BackOffOptions, withBackOff } from './back-off.ts'
import { bearerVerifier } from './bearer.ts'
import { bearerChallenge } from './challenge.ts'
import { firstOf } from './first-of.ts'
import { identify } from './identify.ts'
import { type OauthTokenOptions, oauthTokenVerifier } from './oauth-token.ts'
import type { TransportCredentials } from './transport-credentials.ts'

/** The scope that keys and tokens for the registry carry. */
const REGISTRY = 'registry'

export interface PlatformIdentityOptions {
  readonly store: Store
  /** Public origin of the deployment. */
  readonly origin: string
  /** Our own authorization server, when there is one. */
  readonly oauth: Pick<OauthTokenOptions, 'issuer' | 'keys' | 'findGrant'> | undefined
  readonly backOff: BackOffOptions
}

/** Who writes to the registry. */
export interface PlatformCaller {
  /** `tenant/principal`. */
  readonly id: string
  readonly tenant: string
  readonly principal: string
  readonly credential: string
}

/** Gives the platform identity behind credentials. Throws AUTH_REQUIRED, AUTH_INVALID (401) and INSUFFICIENT_PERMISSIONS (403). */
export type IdentifyPlatform = (credentials: TransportCredentials, now: Date) => Promise<PlatformCaller>

/**
 * Who may write to the registry: an organisation by a key with the scope `registry`, a person by an access token that our authorization server made
 * for `{origin}/api`. A token for the agent is refused by its audience (RFC 8707), a buyer's key for want of the scope.
 */
export function platformIdentity({ store, origin, oauth, backOff }: PlatformIdentityOptions): IdentifyPlatform {
  const audience = `${origin}/api`
  const realm = {
    agentUrl: audience,
    resourceMetadata: oauth && `${origin}/.well-known/oauth-protected-resource/api`,
  }
  const challenge = bearerChallenge(realm, 'invalid_token')
  const findUser = (username: string, principalId: string | undefined) => findUserIdentity(store.read, username, principalId)
  const tokens = oauth ? [oauthTokenVerifier({ ...oauth, audience, challenge, findUser })] : []
  const verifiers = [
    readableAuthorization(challenge),
    withBackOff(firstOf([...tokens, bearerVerifier(store, challenge)]), backOff),
  ]

  return async (credentials, now) => {
    const caller = await identify(verifiers, credentials, now)
    if (caller.kind === 'refused') throw caller.error
    if (caller.kind === 'anonymous') {
      throw new AdcpError('AUTH_REQUIRED', 'this needs a platform identity: a key with the scope registry, or a token for it', {
        http: { status: 401, headers: { 'WWW-Authenticate': bearerChallenge(realm) } },
      })
    }
    const { tenantId, principalId, scopes, credentialId } = caller.principal
    if (scopes.includes(REGISTRY)) {
      return { id: `${tenantId}/${principalId}`, tenant: tenantId, principal: principalId, credential: credentialId }
    }
    const header = `${bearerChallenge(realm)}, error="insufficient_scope", scope="${REGISTRY}"`
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', 'the credential does not carry the scope registry', {
      http: { status: 403, headers: { 'WWW-Authenticate': header } },
    })
  }
}
