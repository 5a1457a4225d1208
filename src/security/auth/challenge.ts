/** The `WWW-Authenticate` challenge for a caller without valid credentials. */
export interface Realm {
  /** Address of the agent. */
  readonly agentUrl: string
  /** URL of the protected-resource metadata; absent without an authorization server. */
  readonly resourceMetadata?: string | undefined
}

/** Address of the agent at a tenant of its own. */
export function tenantAddress(origin: string, tenantId: string): string {
  return `${origin}/t/${tenantId}/mcp`
}

/** Id of the tenant that a request's target names (`/t/{tenant}/mcp` or `/t/{tenant}/a2a`); undefined where it names none. */
export function tenantIn(target: string): string | undefined {
  return /^\/t\/([a-z0-9-]{1,64})\/(?:mcp|a2a)$/.exec(target)?.[1]
}

/**
 * The realm as a request's target names it: below `/t/{tenant}` the resource is that address, since clients refuse metadata of another one
 * than they called (RFC 9728 §3.3).
 */
export function realmAt(realm: Realm, target: string): Realm {
  const tenantId = tenantIn(target)
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
