/** Where the keys of one registered agent come from. */
export interface AgentKeySource {
  readonly agentUrl: string
  readonly kind: 'jwks' | 'jwks_uri' | 'brand_json'
  /** JWKS document, address of one, or the brand's domain (empty: the agent's own capabilities name it). */
  readonly value: string
  /** The publishers that registered it: for all others its keys prove nothing. */
  readonly tenantIds: readonly string[]
}
