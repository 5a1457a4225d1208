import { createLocalJWKSet, decodeJwt, errors, type JWK, jwtVerify } from 'jose'
import type { Identity } from '../../domain/identity/identity.ts'
import { intersectScopes } from '../../domain/identity/principal.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface OauthTokenOptions {
  /** Our own authorization server. */
  readonly issuer: string
  /** What the token must be made for, e.g. `https://ads.example.com/mcp` (RFC 8707). */
  readonly audience: string
  /** The address of the same resource at a tenant of its own: a token for it counts when it is the user's tenant. */
  readonly tenantAddress?: (tenantId: string) => string
  readonly challenge: string
  /** Its public keys as they are now: another list when they have changed. */
  readonly keys: () => readonly JWK[]
  /** The grant of a token while it is valid. */
  readonly findGrant: (grantId: string, now: Date) => Promise<StandingGrant | undefined>
  /** The user as the agent that was chosen for the grant, or else as its own. */
  readonly findUser: (username: string, principalId: string | undefined) => Promise<Identity | undefined>
}

/** `principalId`: the agent that the person chose at the consent; undefined where there was no choice. */
export interface StandingGrant {
  readonly principalId: string | undefined
}

const COMPACT_JWT = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i

/**
 * Verifies access tokens of our own authorization server (RFC 9068): its signature, this resource as audience, a grant that was not
 * revoked and a user that may still log in. A token that it made for something else, such as the registry, is refused.
 */
export function oauthTokenVerifier(options: OauthTokenOptions): Verifier {
  const { issuer, audience, tenantAddress, challenge } = options
  const keySet = latestKeySet(options.keys)
  const refused = (reason: string): Verdict => ({ kind: 'refused', reason, challenge })
  // Only behind the check of the signature.
  const over = (reason: string): Verdict => ({ kind: 'refused', reason, challenge, isOver: true })
  return {
    name: 'oauth',
    async verify(credentials, now): Promise<Verdict> {
      const token = COMPACT_JWT.exec(credentials.authorization ?? '')?.[1]
      if (token === undefined || issuerOf(token) !== issuer) return { kind: 'absent' }
      try {
        const { payload } = await jwtVerify(token, keySet(), {
          issuer,
          algorithms: ['EdDSA'],
          typ: 'at+jwt',
          requiredClaims: ['sub', 'exp', 'iat', 'gid'],
          currentDate: now,
        })
        const { sub = '', gid, scope } = payload
        const grant = typeof gid === 'string' ? await options.findGrant(gid, now) : undefined
        if (!grant) return over('the grant was revoked')
        const identity = await options.findUser(sub, grant.principalId)
        if (!identity) return over('the user may not log in any more, or not as this agent')
        const addresses = [audience, ...(tenantAddress === undefined ? [] : [tenantAddress(identity.tenant.tenantId)])]
        if (![payload.aud].flat().some((each) => each !== undefined && addresses.includes(each))) return refused('audience')
        const scopes = intersectScopes(identity.principal.scopes, typeof scope === 'string' ? scope.split(' ') : [])
        const principal = { ...identity.principal, scopes, mechanism: 'jwt' as const, credentialId: `oauth:${sub}` }
        return { kind: 'verified', principal, tenant: identity.tenant }
      } catch (error) {
        if (error instanceof errors.JWTExpired) return over(error.code)
        if (error instanceof errors.JOSEError) return refused(error.code)
        throw error
      }
    },
  }
}

/** Keys are imported once for each list of them. */
function latestKeySet(keys: OauthTokenOptions['keys']): () => ReturnType<typeof createLocalJWKSet> {
  const setOf = (list: readonly JWK[]) => ({ list, set: createLocalJWKSet({ keys: [...list] }) })
  let latest = setOf(keys())
  return () => {
    const list = keys()
    if (list !== latest.list) latest = setOf(list)
    return latest.set
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
