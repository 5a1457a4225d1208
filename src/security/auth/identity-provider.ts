import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { IdentityProviderSettings } from '../../config/identity-provider-settings.ts'
import { foreignJson } from '../../platform/decode/foreign-json.ts'
import { boundedBody } from '../../platform/net/plain-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** What has to be remembered until the person is back. */
export interface ExternalLogin {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface IdentityProvider {
  /** Shown to people. */
  readonly name: string
  begin(redirectUri: string): Promise<{ readonly url: string; readonly login: ExternalLogin }>
  /** The user that came back. Throws AUTH_INVALID when the answer does not count, SERVICE_UNAVAILABLE when the provider is unreachable. */
  finish(answer: URLSearchParams, login: ExternalLogin, redirectUri: string): Promise<string>
}

interface Discovery {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
  /** Whether every answer names the issuer (RFC 9207 §3). */
  readonly namesIssuer: boolean
}

interface Provider {
  readonly discovery: Discovery
  readonly keys: JWTVerifyGetKey
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 256 * 1024
const REDISCOVER_MS = 3_600_000
/** How long a provider that failed is not asked again: everybody who opens the sign-in page would. */
const RESTS_MS = 5_000
/** What the library says of a key set that cannot be fetched or read: the token may be right. */
const OF_KEY_SET: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  errors.JWKInvalid.code,
])
/** What OpenID providers sign ID tokens with (OpenID Connect Core §2); secrets are not among it. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

/** A relying party of OpenID Connect: authorization code with PKCE, state and nonce. Source: OpenID Connect Core §3.1, RFC 9700. */
export function identityProvider(settings: IdentityProviderSettings): IdentityProvider {
  const { issuer, clientId, userClaim } = settings
  let known: { readonly until: number; readonly found: Promise<Provider> } | undefined

  /** Asks once for all who wait, and again when what is known is old, or the provider failed a while ago. */
  function discover(): Promise<Provider> {
    if (known && performance.now() < known.until) return known.found
    const found = ask()
    known = { until: Number.POSITIVE_INFINITY, found }
    const keepFor = (ms: number) => {
      known = { until: performance.now() + ms, found }
    }
    found.then(
      () => keepFor(REDISCOVER_MS),
      () => keepFor(RESTS_MS),
    )
    return found
  }

  async function ask(): Promise<Provider> {
    const discovery = discoveryOf(await getJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), issuer)
    const options = { timeoutDuration: TIMEOUT_MS, [customFetch]: fetchBounded }
    return { discovery, keys: createRemoteJWKSet(new URL(discovery.jwks_uri), options) }
  }

  return {
    name: new URL(issuer).host,
    async begin(redirectUri) {
      const { discovery } = await discover()
      const login = { state: random(), nonce: random(), verifier: random() }
      const url = new URL(discovery.authorization_endpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: userClaim === 'sub' ? 'openid' : 'openid profile email',
        state: login.state,
        nonce: login.nonce,
        code_challenge: createHash('sha256').update(login.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, login }
    },
    async finish(answer, login, redirectUri) {
      const { discovery, keys } = await discover()
      const code = answer.get('code')
      requireIssuer(answer.get('iss'), discovery)
      if (code === null || code === '' || answer.has('error')) throw refused(answer.get('error') ?? 'no code')
      const tokens = await redeem(discovery.token_endpoint, settings, { code, redirectUri, verifier: login.verifier })
      return verifyUser(tokens.id_token, { issuer, clientId, userClaim, nonce: login.nonce }, keys)
    },
  }
}

/** An answer of another server is not taken for one of this, nor one without the issuer that every answer of this server names (RFC 9207 §2.4). */
function requireIssuer(named: string | null, { issuer, namesIssuer }: Discovery): void {
  if (named === null ? namesIssuer : named !== issuer) throw refused(named === null ? 'no iss' : 'another iss')
}

async function verifyUser(
  idToken: unknown,
  { issuer, clientId, userClaim, nonce }: Pick<IdentityProviderSettings, 'issuer' | 'clientId' | 'userClaim'> & { nonce: string },
  keys: JWTVerifyGetKey,
): Promise<string> {
  try {
    const { payload } = await jwtVerify(String(idToken), keys, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: 60,
    })
    if (payload.nonce !== nonce) throw refused('nonce')
    if ([payload.aud].flat().length > 1 && payload.azp !== clientId) throw refused('azp')
    // An unverified address may belong to somebody else.
    if (userClaim === 'email' && payload.email_verified !== true) throw refused('the email address is not verified')
    const user = payload[userClaim]
    if (typeof user !== 'string' || user === '') throw refused(`no ${userClaim}`)
    return user
  } catch (error) {
    if (error instanceof AdcpError) throw error
    if (error instanceof errors.JOSEError && !OF_KEY_SET.has(error.code)) throw refused(error.code)
    // The library passes on what its fetch throws, and what is wrong with a key.
    throw away(error)
  }
}

async function redeem(
  endpoint: string,
  { clientId, clientSecret }: IdentityProviderSettings,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<Readonly<Record<string, unknown>>> {
  const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
  // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
  return getJson(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    },
    body: form.toString(),
  })
}

function discoveryOf(document: Readonly<Record<string, unknown>>, issuer: string): Discovery {
  const { authorization_endpoint, token_endpoint, jwks_uri } = document
  if (document.issuer !== issuer) throw away(new Error(`the provider calls itself ${String(document.issuer)}`))
  const addresses = [authorization_endpoint, token_endpoint, jwks_uri]
  if (!addresses.every((address) => typeof address === 'string' && isSecure(address))) {
    throw away(new Error('the provider names an address that is not https'))
  }
  return {
    issuer,
    authorization_endpoint: String(authorization_endpoint),
    token_endpoint: String(token_endpoint),
    jwks_uri: String(jwks_uri),
    namesIssuer: document.authorization_response_iss_parameter_supported === true,
  }
}

/** HTTPS, or this machine while developing. */
export function isSecure(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}

async function getJson(url: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> {
  try {
    const headers = { accept: 'application/json', ...init.headers }
    const response = await fetch(url, { ...init, headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = (await boundedBody(response, MAX_BYTES)).toString('utf8')
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 200)}`)
    const document = foreignJson(text)
    if (typeof document !== 'object' || document === null) throw new Error('the answer is no JSON object')
    return { ...document }
  } catch (error) {
    throw away(error)
  }
}

/** What the library of keys fetches with: it would read a key set of any size. */
async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  const { status, headers } = response
  return new Response(new Uint8Array(await boundedBody(response, MAX_BYTES)), {
    status,
    headers: { 'content-type': headers.get('content-type') ?? '' },
  })
}

function random(): string {
  return randomBytes(32).toString('base64url')
}

function refused(cause: string): AdcpError {
  return new AdcpError('AUTH_INVALID', 'the login at the identity provider did not count', {
    cause,
    http: { status: 401, headers: {} },
  })
}

function away(cause: unknown): AdcpError {
  return new AdcpError('SERVICE_UNAVAILABLE', 'the identity provider cannot be reached at the moment', {
    retryAfter: 30,
    cause,
    http: { status: 503, headers: { 'Retry-After': '30' } },
  })
}
