/** How the keys of an agent are named: as they are, by their address, or by its brand. */
export const KEY_SOURCE_KINDS = ['jwks', 'jwks_uri', 'brand_json'] as const

/** Where the keys of one registered agent come from. */
export interface AgentKeySource {
  readonly agentUrl: string
  readonly kind: (typeof KEY_SOURCE_KINDS)[number]
  /** JWKS document, address of one, or the brand's domain (empty: the agent's own capabilities name it). */
  readonly value: string
  /** The publishers that registered it: for all others its keys prove nothing. */
  readonly tenantIds: readonly string[]
}
