import { publisherIn, tenantAddress } from './addressed-publisher.ts'

/** The `WWW-Authenticate` challenge for a caller without valid credentials. */
export interface Realm {
  /** Address of the agent. */
  readonly agentUrl: string
  /** URL of the protected-resource metadata; absent without an authorization server. */
  readonly resourceMetadata?: string | undefined
}

/**
 * The realm as a request's target names it: below `/t/{tenant}` the resource is that address, since clients refuse metadata of another one
 * than they called (RFC 9728 §3.3).
 */
export function realmAt(realm: Realm, target: string): Realm {
  const tenantId = publisherIn(target)
  if (tenantId === undefined) return realm
  const { origin } = new URL(realm.agentUrl)
  return {
    agentUrl: tenantAddress(origin, tenantId),
    resourceMetadata: realm.resourceMetadata && `${origin}/.well-known/oauth-protected-resource/t/${tenantId}/mcp`,
  }
}

/** `WWW-Authenticate` for Bearer tokens (RFC 6750 §3, RFC 9728 §5.1). `invalid_token` when one was sent. */
export function bearerChallenge({ agentUrl, resourceMetadata }: Realm, error?: 'invalid_token'): string {
  const parameters = [`realm="${agentUrl}"`]
  if (error !== undefined) parameters.push(`error="${error}"`)
  if (resourceMetadata !== undefined) parameters.push(`resource_metadata="${resourceMetadata}"`)
  return `Bearer ${parameters.join(', ')}`
}
