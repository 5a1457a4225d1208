/** What is wrong with an agent's OAuth metadata: the codes of the protocol's OAuth setup check (test vectors `oauth-setup` of AdCP 3.2). */
export type OAuthMetadataCode =
  | 'oauth_protected_resource_metadata_unavailable'
  | 'oauth_protected_resource_metadata_invalid'
  | 'oauth_resource_mismatch'
  | 'oauth_authorization_servers_empty'
  | 'oauth_authorization_server_url_invalid'
  | 'oauth_graph_limit_exceeded'
  | 'oauth_authorization_server_metadata_unavailable'
  | 'oauth_authorization_server_metadata_invalid'
  | 'oauth_issuer_mismatch'
  | 'oauth_endpoint_url_invalid'
  | 'oauth_endpoint_unreachable'
  | 'oauth_jwks_unavailable'
  | 'oauth_fetch_blocked'

/** OAuth metadata that a client cannot use. `url` is the document or endpoint that it is about. */
export class OAuthMetadataFault extends Error {
  override readonly name = 'OAuthMetadataFault'
  readonly code: OAuthMetadataCode
  readonly url: string

  constructor(code: OAuthMetadataCode, url: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.url = url
  }
}
