import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { AdcpError } from '../../protocol/errors.ts'
import { OPENID_SCOPES, SCOPES } from './scopes.ts'

/** Registration of a client, as far as it is examined here (RFC 7591 §2). */
interface Registration {
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly scope: string
  readonly token_endpoint_auth_method: string
}

const MAX_REDIRECTS = 10
const MAX_NAME = 100
/** What a client may be granted tokens by. */
export const GRANTS: readonly string[] = ['authorization_code', 'refresh_token']
/** Controls, format characters (bidirectional overrides, zero-width ones), line separators: the person who agrees would not see what the name is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * What a client may register: public clients with redirects that only they receive. Gives the metadata that is registered, with its
 * client id: the same metadata has the same id, so that a client that registers at every start is one client.
 * Throws AdcpError INVALID_REQUEST naming the member. Source: RFC 7591; OAuth 2.1 §2.3, §8.4; RFC 8252 §7.
 */
function checkRegistration(body: unknown): { readonly clientId: string; readonly metadata: Registration } {
  const given = typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {}
  const read: Record<string, unknown> = { ...given }
  const metadata: Registration = {
    client_name: nameOf(read.client_name),
    redirect_uris: redirectsOf(read.redirect_uris),
    grant_types: grantsOf(read.grant_types ?? ['authorization_code']),
    scope: scopeOf(read.scope),
    token_endpoint_auth_method: 'none',
  }
  const method = read.token_endpoint_auth_method ?? 'none'
  if (method !== 'none') {
    throw refused('token_endpoint_auth_method', 'only public clients are registered: token_endpoint_auth_method none, with PKCE')
  }
  const responses = read.response_types ?? ['code']
  if (!Array.isArray(responses) || responses.some((type) => type !== 'code')) {
    throw refused('response_types', 'only the response type code is offered')
  }
  return { clientId: `dcr_${hash('sha256', canonicalize(metadata) ?? '', 'base64url').slice(0, 32)}`, metadata }
}

/** The client that is registered with this metadata, as the authorization server keeps it. Throws as {@link checkRegistration}. */
export function registeredClient(body: unknown) {
  const { clientId, metadata } = checkRegistration(body)
  // `native`, because a web client of the library may have no redirect on loopback.
  const isWeb = metadata.redirect_uris.every((uri) => uri.startsWith('https:'))
  const client = { ...metadata, client_id: clientId, response_types: ['code'], application_type: isWeb ? 'web' : 'native' }
  return { clientId, client }
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'unnamed client'
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_NAME || UNSEEN.test(value)) {
    throw refused('client_name', `client_name is 1 to ${MAX_NAME} characters, none of them a control or format character`)
  }
  return value.trim()
}

function redirectsOf(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_REDIRECTS
  if (!isList) throw refused('redirect_uris', `redirect_uris is a list of 1 to ${MAX_REDIRECTS} addresses`)
  const uris = value.map((uri) => (typeof uri === 'string' && isRedirect(uri.trim()) ? uri.trim() : undefined))
  const bad = uris.indexOf(undefined)
  if (bad >= 0) {
    const rule = 'is https, http on loopback, or a scheme of the app in reverse domain notation, without a fragment'
    throw refused(`redirect_uris[${bad}]`, `a redirect URI ${rule}`, 'invalid_redirect_uri')
  }
  return [...new Set(uris.filter((uri) => uri !== undefined))].sort()
}

/** Addresses that only the client receives: no plain HTTP, no script or file address. */
function isRedirect(text: string): boolean {
  // The URL parser drops tabs and line ends; what is registered is compared as text.
  if (!URL.canParse(text) || /[#\s\p{Cc}\p{Cf}]/u.test(text) || text.length > 2000) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return LOOPBACK.has(hostname)
  // RFC 8252 §7.1: a private scheme holds a domain of the app's maker.
  return /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/.test(protocol)
}

function grantsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.includes('authorization_code') || value.some((grant) => !GRANTS.includes(String(grant)))) {
    throw refused('grant_types', 'grant_types are authorization_code and, if wanted, refresh_token')
  }
  return GRANTS.filter((grant) => value.includes(grant))
}

function scopeOf(value: unknown): string {
  const offered = [...OPENID_SCOPES, ...Object.keys(SCOPES)]
  if (value === undefined) return offered.join(' ')
  const names = typeof value === 'string' ? value.split(' ').filter((name) => name !== '') : []
  const unknown = names.find((name) => !offered.includes(name))
  if (names.length === 0 || unknown !== undefined) {
    throw refused('scope', unknown === undefined ? 'scope is a list of names' : 'scope names what is not offered here')
  }
  // One that names those of OpenID Connect alone says nothing of what it wants to do here.
  const wanted = names.some((name) => Object.hasOwn(SCOPES, name)) ? names : offered
  return [...new Set(wanted)].sort().join(' ')
}

function refused(field: string, message: string, reason = 'invalid_client_metadata'): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field, details: { reason } })
}
