import { isObject } from '../../protocol/is-object.ts'
import { OAuthMetadataFault } from './metadata-fault.ts'
import { authorizationServerUrlOf } from './protected-resource.ts'

/** What a client asks an authorization server at. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly authorizationEndpoint: string | undefined
  readonly tokenEndpoint: string | undefined
  readonly jwksUri: string | undefined
}

/** RFC 8414 §2, `grant_types_supported`. */
const DEFAULT_GRANTS = ['authorization_code', 'implicit']

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/**
 * Metadata of an authorization server (RFC 8414 §2). `response_types_supported` may be absent only where no grant uses the authorization endpoint; a grant
 * that asks an endpoint needs it. Throws {@link OAuthMetadataFault}.
 */
export function authorizationServerOf(document: unknown, issuer: string): AuthorizationServer {
  const at = authorizationServerUrlOf(issuer)
  const invalid = (text: string) => new OAuthMetadataFault('oauth_authorization_server_metadata_invalid', at, text)
  if (!isObject(document)) throw invalid('it is no JSON object')
  if (typeof document.issuer !== 'string') throw invalid('it has no issuer')
  if (document.issuer !== issuer)
    throw new OAuthMetadataFault('oauth_issuer_mismatch', at, `issuer is ${document.issuer}, not ${issuer}`)
  const grants = document.grant_types_supported ?? DEFAULT_GRANTS
  if (!isTexts(grants)) throw invalid('grant_types_supported is no list of names')
  const authorizes = grants.some((grant) => DEFAULT_GRANTS.includes(grant))
  const { response_types_supported: types } = document
  if (types === undefined ? authorizes : !isTexts(types)) throw invalid('response_types_supported is no list of names')
  if (authorizes && document.authorization_endpoint === undefined) throw invalid('authorization_endpoint is missing')
  if (grants.some((grant) => grant !== 'implicit') && document.token_endpoint === undefined)
    throw invalid('token_endpoint is missing')
  const [authorizationEndpoint, tokenEndpoint, jwksUri] = ENDPOINTS.map((name) => endpointIn(document[name], name, at))
  return { issuer, authorizationEndpoint, tokenEndpoint, jwksUri }
}

function endpointIn(value: unknown, name: string, at: string): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new OAuthMetadataFault('oauth_endpoint_url_invalid', at, `${name} is no https URL without user and fragment`)
  return url.href
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
}
