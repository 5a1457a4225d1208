import type { KeyObject } from 'node:crypto'
import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { Identity } from '../../domain/identity/identity.ts'
import type { JwtAlgorithm, JwtIssuerSettings } from '../../domain/identity/jwt-issuer-settings.ts'
import { intersectScopes } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { SignatureFault } from '../signing/challenge.ts'
import type { KeySource } from '../signing/keys.ts'
import type { Verdict, Verifier } from './verifier.ts'

/** The same with its keys: cached, fetched again for an unknown `kid`. */
export interface JwtIssuer extends Omit<JwtIssuerSettings, 'jwksUri'> {
  readonly keys: KeySource
}

export interface JwtOptions {
  readonly challenge: string
  /** The issuers that are trusted now. */
  readonly listIssuers: (nowSeconds: number) => Promise<readonly JwtIssuer[]>
  /** The active principal that a subject of an issuer represents, within the issuer's tenant. */
  readonly findSubject: (tenantId: string, issuer: string, subject: string) => Promise<Identity | undefined>
}

/** RFC 7515 §7.1, three parts; opaque keys have no dots. */
const COMPACT_JWT = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i

/**
 * RFC 9068 §2.1 and RFC 7519 §5.1: other kinds of token are not access tokens (RFC 8725 §3.11). The header may leave `typ` out, as some
 * authorization servers do.
 */
const TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

const CLOCK_SKEW_SECONDS = 60

/**
 * Verifies Bearer tokens that are JWTs (RFC 7519, RFC 8725). The issuer decides the tenant; a token of any other issuer or
 * audience, such as a platform user's, is refused. Anything that is not a JWT is left to the opaque keys.
 * Throws SERVICE_UNAVAILABLE when the issuer's keys cannot be fetched.
 */
export function jwtVerifier(options: JwtOptions): Verifier {
  const { challenge } = options
  const refused = (reason: string): Verdict => ({ kind: 'refused', reason, challenge })
  return {
    name: 'jwt',
    async verify(credentials, now): Promise<Verdict> {
      const token = COMPACT_JWT.exec(credentials.authorization ?? '')?.[1]
      if (token === undefined) return { kind: 'absent' }
      const issuer = issuerOf(token, await options.listIssuers(Math.floor(now.getTime() / 1000)))
      if (!issuer) return refused('no configured issuer and audience')
      const outcome = await verifyToken(token, issuer, now)
      if (typeof outcome === 'string') return refused(outcome)
      const identity = await options.findSubject(issuer.tenantId, issuer.issuer, outcome.sub)
      if (identity?.tenant.tenantId !== issuer.tenantId) return refused('unknown subject')
      const principal = {
        ...identity.principal,
        scopes: grantedScopes(identity.principal.scopes, outcome.scopes, issuer),
        mechanism: 'jwt' as const,
        credentialId: outcome.sub,
      }
      return { kind: 'verified', principal, tenant: identity.tenant }
    },
  }
}

/** The configured issuer that the token claims to come from. Nothing of the token is trusted yet. */
function issuerOf(token: string, issuers: readonly JwtIssuer[]): JwtIssuer | undefined {
  try {
    const { iss, aud } = decodeJwt(token)
    return issuers.find(({ issuer, audience }) => issuer === iss && [aud].flat().includes(audience))
  } catch {
    return undefined
  }
}

interface Claims {
  readonly sub: string
  /** Lists of scopes that it names, each of which narrows what it may do. */
  readonly scopes: readonly (readonly string[])[]
}

/** The claims, or why the token does not count. */
async function verifyToken(token: string, issuer: JwtIssuer, now: Date): Promise<Claims | string> {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  try {
    const { payload } = await jwtVerify(token, (header) => keyOf(header, issuer, nowSeconds), {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      audience: issuer.audience,
      requiredClaims: ['sub', 'exp', 'iat'],
      maxTokenAge: issuer.maxAgeSeconds,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: now,
    })
    return readClaims(payload)
  } catch (error) {
    if (error instanceof TokenRefused) return error.message
    if (error instanceof errors.JOSEError) return error.code
    throw error
  }
}

class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** The kinds of keys of each algorithm (RFC 7518 §3.1, RFC 8037 §3.1), as Node names them. */
const KINDS: Readonly<Record<JwtAlgorithm, string>> = {
  EdDSA: 'ed25519',
  ES256: 'ec prime256v1',
  ES384: 'ec secp384r1',
  PS256: 'rsa',
  PS512: 'rsa',
  RS256: 'rsa',
}

/** Whether a key can verify the algorithm that a header names: a JWK need not say it, and the library takes one that cannot for a fault of its caller. */
function isFor({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject, alg: string | undefined): boolean {
  const kind = [type, asymmetricKeyDetails?.namedCurve].filter((part) => part !== undefined).join(' ')
  return Object.entries(KINDS).some(([name, wanted]) => name === alg && wanted === kind)
}

async function keyOf(header: JWTHeaderParameters, issuer: JwtIssuer, nowSeconds: number) {
  if (header.typ !== undefined && !TYPES.has(String(header.typ).toLowerCase()))
    throw new TokenRefused('typ is not that of an access token')
  if (header.kid === undefined) throw new TokenRefused('no kid')
  try {
    const key = await issuer.keys.find(header.kid, nowSeconds)
    if (!key) throw new TokenRefused('unknown kid')
    const { use, alg, key_ops } = key.jwk
    if ((use ?? 'sig') !== 'sig' || (alg ?? header.alg) !== header.alg || key_ops?.includes('verify') === false) {
      throw new TokenRefused('key is not for this algorithm')
    }
    const publicKey = key.publicKey()
    if (!isFor(publicKey, header.alg)) throw new TokenRefused('key is not for this algorithm')
    return publicKey
  } catch (error) {
    if (!(error instanceof SignatureFault)) throw error
    if (error.code !== 'signature_jwks_unavailable') throw new TokenRefused(error.code)
    throw new AdcpError('SERVICE_UNAVAILABLE', "the token issuer's keys cannot be fetched at the moment", {
      retryAfter: 30,
      http: { status: 503, headers: { 'Retry-After': '30' } },
      cause: error,
    })
  }
}

function readClaims({ sub, scope, scp }: JWTPayload): Claims {
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) throw new TokenRefused('sub is not a name')
  // A scope that cannot be read may be a narrow one: nothing is granted instead of everything.
  if (scope !== undefined && typeof scope !== 'string') throw new TokenRefused('scope is not a text (RFC 8693 §4.2)')
  if (scp !== undefined && !isScopeList(scp)) throw new TokenRefused('scp is neither a text nor a list of texts')
  const listed = [scope, scp].filter((names) => names !== undefined)
  return { sub, scopes: listed.map((names) => (typeof names === 'string' ? names.split(' ') : names)) }
}

/** `scp`, the name that Entra ID (a text) and Okta (a list) give the claim. */
function isScopeList(scp: unknown): scp is string | readonly string[] {
  return typeof scp === 'string' || (Array.isArray(scp) && scp.every((name) => typeof name === 'string'))
}

/**
 * A token may narrow what its principal may do (RFC 9068 §2.2.3), never widen it: without a claim of scopes it may the same, with an empty one nothing. The
 * issuer's settings say what scopes of other systems mean where no other is named.
 */
function grantedScopes(
  granted: readonly string[],
  scopes: Claims['scopes'],
  { foreignScopes }: Pick<JwtIssuer, 'foreignScopes'>,
): readonly string[] {
  return scopes.reduce((left, names) => {
    const named = names.filter((name) => name.startsWith('adcp:'))
    // Of this protocol in a spelling that is not understood (`https://ads.example/adcp:products`): it meant some scope, so it is not another system's.
    const isMeant = names.some((name) => name.toLowerCase().includes('adcp'))
    const isForeign = !isMeant && names.some((name) => name !== '')
    return isForeign && foreignScopes === 'inherit' ? left : intersectScopes(left, named)
  }, granted)
}
