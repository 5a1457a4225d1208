import { type AuthorizationServer, authorizationServerOf } from '../../domain/oauth/authorization-server.ts'
import { type OAuthMetadataCode, OAuthMetadataFault } from '../../domain/oauth/metadata-fault.ts'
import { authorizationServerUrlOf, issuersOf, protectedResourceUrlOf } from '../../domain/oauth/protected-resource.ts'
import { FetchFailure, type FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { FetchAnswer, SafeFetch } from '../../platform/net/safe-fetch.ts'

const DOCUMENT: FetchPolicy = {
  redirects: 'same-registrable-domain',
  maxRedirects: 3,
  maxBytes: 256 * 1024,
  connectMs: 10_000,
  readMs: 10_000,
  totalMs: 20_000,
  contentTypes: undefined,
}
const PROBE: FetchPolicy = { ...DOCUMENT, redirects: 'none', maxRedirects: 0 }

/** Failures that say where a request may not go, rather than that nothing answers there. */
const BLOCKED: ReadonlySet<string> = new Set([
  'reserved_address',
  'not_https',
  'invalid_url',
  'redirect_refused',
  'too_many_redirects',
])

export interface GraphInstruments {
  readonly safeFetch: SafeFetch
  /** Strict: throws on a repeated key. */
  readonly parseJson: (body: Uint8Array) => unknown
}

/** What a document is called in the codes of faults: `unavailable` when there is none, `invalid` when it is no JSON. */
interface DocumentCodes {
  readonly unavailable: OAuthMetadataCode
  readonly invalid: OAuthMetadataCode
}

const RESOURCE_CODES: DocumentCodes = {
  unavailable: 'oauth_protected_resource_metadata_unavailable',
  invalid: 'oauth_protected_resource_metadata_invalid',
}
const SERVER_CODES: DocumentCodes = {
  unavailable: 'oauth_authorization_server_metadata_unavailable',
  invalid: 'oauth_authorization_server_metadata_invalid',
}
const KEY_CODES: DocumentCodes = { unavailable: 'oauth_jwks_unavailable', invalid: 'oauth_jwks_unavailable' }

/**
 * Walks from an agent to every authorization server that it names, as an OAuth client does, without any credential: protected-resource metadata
 * (RFC 9728), the metadata of each server (RFC 8414), its endpoints, which have to answer, and its keys. Gives the issuers.
 * Throws {@link OAuthMetadataFault} for the first broken link.
 */
export async function walkOAuthMetadata(agentUrl: string, instruments: GraphInstruments): Promise<readonly string[]> {
  const document = await readDocument(protectedResourceUrlOf(agentUrl), RESOURCE_CODES, instruments)
  const issuers = issuersOf(document, agentUrl)
  for (const issuer of issuers) {
    const metadata = await readDocument(authorizationServerUrlOf(issuer), SERVER_CODES, instruments)
    await checkServer(authorizationServerOf(metadata, issuer), instruments)
  }
  return issuers
}

async function checkServer(server: AuthorizationServer, instruments: GraphInstruments): Promise<void> {
  for (const endpoint of [server.authorizationEndpoint, server.tokenEndpoint])
    if (endpoint !== undefined) await probeEndpoint(endpoint, instruments)
  if (server.jwksUri === undefined) return
  const keys = await readDocument(server.jwksUri, KEY_CODES, instruments)
  if (typeof keys === 'object' && keys !== null && 'keys' in keys && Array.isArray(keys.keys)) return
  throw new OAuthMetadataFault('oauth_jwks_unavailable', server.jwksUri, 'it is no key set')
}

async function readDocument(url: string, codes: DocumentCodes, { safeFetch, parseJson }: GraphInstruments): Promise<unknown> {
  const { status, body } = await ask(url, DOCUMENT, codes.unavailable, safeFetch)
  if (status !== 200) throw new OAuthMetadataFault(codes.unavailable, url, `it answers ${status}`)
  try {
    return parseJson(body)
  } catch (cause) {
    throw new OAuthMetadataFault(codes.invalid, url, 'it is no JSON', { cause })
  }
}

/** Any answer that is not a fault of the server shows that it is there: an endpoint refuses a request without parameters in ways of its own. */
async function probeEndpoint(url: string, { safeFetch }: GraphInstruments): Promise<void> {
  const { status } = await ask(url, PROBE, 'oauth_endpoint_unreachable', safeFetch).catch((error: unknown) => {
    if (error instanceof OAuthMetadataFault && isRedirect(error)) return { status: 302 }
    throw error
  })
  if (status >= 500) throw new OAuthMetadataFault('oauth_endpoint_unreachable', url, `it answers ${status}`)
}

function isRedirect({ cause }: Error): boolean {
  return cause instanceof FetchFailure && cause.code === 'redirect_refused'
}

async function ask(url: string, policy: FetchPolicy, unavailable: OAuthMetadataCode, safeFetch: SafeFetch): Promise<FetchAnswer> {
  try {
    return await safeFetch(url, { policy })
  } catch (cause) {
    if (!(cause instanceof FetchFailure)) throw cause
    const code = BLOCKED.has(cause.code) ? 'oauth_fetch_blocked' : unavailable
    throw new OAuthMetadataFault(code, url, cause.message, { cause })
  }
}
