import { isObject } from '../../protocol/is-object.ts'
import { canonicalUrl, MalformedUrl } from '../canonical-url.ts'
import { OAuthMetadataFault } from './metadata-fault.ts'

/** Authorization servers of one agent that are followed; an agent has one or two. */
export const MAX_AUTHORIZATION_SERVERS = 16

/** Where an agent publishes its protected-resource metadata: the well-known part comes before the path (RFC 9728 §3.1). */
export function protectedResourceUrlOf(agentUrl: string): string {
  return wellKnownUrlOf(agentUrl, 'oauth-protected-resource')
}

/** Where an issuer publishes its metadata (RFC 8414 §3.1). */
export function authorizationServerUrlOf(issuer: string): string {
  return wellKnownUrlOf(issuer, 'oauth-authorization-server')
}

function wellKnownUrlOf(address: string, name: string): string {
  const { origin, pathname, search } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}${search}`
}

/**
 * The issuers that the protected-resource metadata of an agent names (RFC 9728 §2), each an https URL without user, query and fragment.
 * Throws {@link OAuthMetadataFault} where the document is not that of the agent, or names none, too many, or one that can be no issuer.
 */
export function issuersOf(document: unknown, agentUrl: string): readonly string[] {
  const at = protectedResourceUrlOf(agentUrl)
  if (!isObject(document) || typeof document.resource !== 'string')
    throw new OAuthMetadataFault('oauth_protected_resource_metadata_invalid', at, 'it is no JSON object with a resource')
  if (!isSameResource(document.resource, agentUrl))
    throw new OAuthMetadataFault('oauth_resource_mismatch', at, `resource is ${document.resource}, not ${agentUrl}`)
  const { authorization_servers: servers } = document
  if (servers !== undefined && !(Array.isArray(servers) && servers.every((each) => typeof each === 'string')))
    throw new OAuthMetadataFault('oauth_protected_resource_metadata_invalid', at, 'authorization_servers is no list of URLs')
  const issuers: readonly string[] = servers ?? []
  if (issuers.length === 0)
    throw new OAuthMetadataFault('oauth_authorization_servers_empty', at, 'authorization_servers names no server')
  if (issuers.length > MAX_AUTHORIZATION_SERVERS)
    throw new OAuthMetadataFault(
      'oauth_graph_limit_exceeded',
      at,
      `authorization_servers names ${issuers.length} servers, more than ${MAX_AUTHORIZATION_SERVERS}`,
    )
  for (const issuer of issuers) checkIssuer(issuer, at)
  return issuers
}

/** Scheme, host and default port are compared in one form; the path, with its last slash, is compared as it is (RFC 9728 §3.3). */
function isSameResource(resource: string, agentUrl: string): boolean {
  try {
    return canonicalUrl(resource).targetUri === canonicalUrl(agentUrl).targetUri
  } catch (error) {
    if (error instanceof MalformedUrl) return false
    throw error
  }
}

/** An issuer has no query or fragment (RFC 8414 §2). */
function checkIssuer(issuer: string, at: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isIssuer = url?.protocol === 'https:' && url.username === '' && url.password === '' && !/[?#]/.test(issuer)
  if (!isIssuer)
    throw new OAuthMetadataFault(
      'oauth_authorization_server_url_invalid',
      at,
      'authorization_servers holds what is no https URL without user, query and fragment',
    )
}
