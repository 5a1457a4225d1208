/** One token of a user, with proof about it where there is any (trusted-match/identity-match-request.json). */
export interface Identity {
  readonly user_token: string
  readonly uid_type: string
  readonly attestation?: Readonly<Record<string, unknown>>
}

export interface SealedCredential {
  readonly audience_kid: string
  readonly payload: string
}

/** An Identity Match request. It says nothing of the page. */
export interface IdentityRequest {
  readonly type: 'identity_match_request'
  readonly request_id: string
  readonly seller_agent_url: string
  readonly identities: readonly Identity[]
  readonly consent?: Readonly<Record<string, unknown>>
  readonly package_ids?: readonly string[]
  readonly country?: string
  readonly sealed_credentials?: readonly SealedCredential[]
}

/** A piece of an encrypted exposure token (trusted-match/tmpx-chunk.json). */
export interface TmpxChunk {
  readonly slot_id: string
  readonly value: string
}

/** What a provider answers (trusted-match/provider-identity-match-response.json). */
export interface ProviderIdentityResponse {
  readonly request_id: string
  readonly eligible_package_ids: readonly string[]
  /** 1 to 300 seconds. */
  readonly serve_window_sec: number
  readonly tmpx_chunks?: readonly TmpxChunk[]
}

/** What the publisher gets (trusted-match/identity-match-response.json). */
export interface IdentityResponse {
  readonly status: 'completed'
  readonly type: 'identity_match_response'
  readonly request_id: string
  readonly eligible_package_ids: readonly string[]
  readonly serve_window_sec: number
  readonly tmpx_providers?: Readonly<Record<string, { readonly chunks: readonly TmpxChunk[] }>>
}

/** What a provider of this program answers. */
export interface ProviderIdentityAnswer extends ProviderIdentityResponse {
  readonly status: 'completed'
  readonly type: 'identity_match_response'
}
