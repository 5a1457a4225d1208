/** What a caller without valid credentials is told of where it is. */
export interface Realm {
  /** Address of the agent. */
  readonly agentUrl: string
  /** Where it says who gives out tokens for it; absent when nobody does. */
  readonly resourceMetadata?: string | undefined
}

/** `WWW-Authenticate` for Bearer tokens (RFC 6750 §3, RFC 9728 §5.1). `invalid_token` when one was sent. */
export function bearerChallenge({ agentUrl, resourceMetadata }: Realm, error?: 'invalid_token'): string {
  const parameters = [`realm="${agentUrl}"`]
  if (error !== undefined) parameters.push(`error="${error}"`)
  if (resourceMetadata !== undefined) parameters.push(`resource_metadata="${resourceMetadata}"`)
  return `Bearer ${parameters.join(', ')}`
}
