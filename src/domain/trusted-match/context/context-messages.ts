/** Members of a Context Match request that rules read; all others are forwarded as they came (trusted-match/context-match-request.json). */
export interface ContextRequest {
  readonly type: 'context_match_request'
  readonly request_id: string
  readonly property_rid: string
  readonly placement_id: string
  readonly seller_agent_url: string
  readonly package_ids?: readonly string[]
  readonly artifact?: Readonly<Record<string, unknown>>
  readonly geo?: { readonly country?: string; readonly region?: string }
  readonly context_signals?: {
    readonly topics?: readonly string[]
    readonly keywords?: readonly string[]
    /** ISO 639-1. */
    readonly language?: string
    readonly content_policies?: readonly string[]
  }
}

/** One offer; what is not named here is passed on unchanged (trusted-match/offer.json). */
export interface Offer {
  readonly package_id: string
  readonly seller_agent?: { readonly agent_url: string }
}

export interface TargetingPair {
  readonly key: string
  readonly value: string
}

/** What a provider answers (trusted-match/provider-context-match-response.json). */
export interface ProviderContextResponse {
  readonly request_id: string
  readonly offers: readonly Offer[]
  /** Seconds; at most a day. */
  readonly cache_ttl?: number
  readonly signals?: { readonly segments?: readonly string[]; readonly targeting_kvs?: readonly TargetingPair[] }
}

/** What the publisher gets (trusted-match/context-match-response.json). */
export interface ContextResponse {
  readonly status: 'completed'
  readonly type: 'context_match_response'
  readonly request_id: string
  readonly offers: readonly Offer[]
  readonly signals?: { readonly segments: readonly string[] }
  readonly signals_by_provider?: Readonly<Record<string, { readonly targeting_kvs: readonly TargetingPair[] }>>
}

/** What a provider of this program answers. */
export interface ProviderContextAnswer extends ProviderContextResponse {
  readonly status: 'completed'
  readonly type: 'context_match_response'
}
