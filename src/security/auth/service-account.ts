import { importPKCS8, SignJWT } from 'jose'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import type { OutboundCall } from '../../platform/net/outbound-call.ts'
import { isObject } from '../../protocol/is-object.ts'

/** A service account as its key file describes it. */
export interface ServiceAccountKey {
  readonly clientEmail: string
  readonly privateKeyId: string
  /** PKCS #8, PEM. Never logged. */
  readonly privateKey: string
  readonly tokenUri: string
}

/** Access tokens of a service account. */
export interface AccessTokens {
  /** A token that is valid for a minute at least. Throws Error when the authorization server gives none. */
  token(): Promise<string>
  /** The token was refused: the next call asks for another one. */
  forget(): void
}

export interface ServiceAccountParts {
  /** The key that is valid now: a new one takes effect with the next call. */
  readonly key: () => Promise<ServiceAccountKey>
  readonly scope: string
  readonly call: OutboundCall
  readonly clock: () => Date
}

/** Tokens are small, and authorization servers answer within seconds. */
const MAX_BYTES = 64 * 1024
const TOTAL_MS = 8_000

/** Longest validity that Google accepts for an assertion is an hour; it is used at once. */
const ASSERTION_SECONDS = 300
/** A token this close to its end is not used any more. */
const SPARE_MS = 60_000

/** Reads the content of a key file of Google Cloud (JSON with `type` `service_account`). Throws an Error that names what is missing, never a value of the file. */
export function readServiceAccountKey(file: unknown): ServiceAccountKey {
  if (!isObject(file)) throw new Error('the key file is not JSON; download the key of the service account as JSON')
  const field = (name: string): string => {
    const value = file[name]
    if (typeof value !== 'string' || value === '')
      throw new Error(`the key file has no "${name}"; download the key as JSON again`)
    return value
  }
  if (file.type !== 'service_account')
    throw new Error('the key file is not of a service account ("type" must be "service_account")')
  return {
    clientEmail: field('client_email'),
    privateKeyId: field('private_key_id'),
    privateKey: field('private_key'),
    tokenUri: field('token_uri'),
  }
}

/** Tokens by a signed assertion (RFC 7523 §2.1, RS256), one request at a time, reused until a minute before their end. */
export function createAccessTokens(parts: ServiceAccountParts): AccessTokens {
  let known: { readonly token: string; readonly until: number; readonly keyId: string } | undefined
  let asking: { readonly keyId: string; readonly token: Promise<string> } | undefined
  const ask = async (key: ServiceAccountKey) => {
    const { token, seconds } = await requestToken(parts, key)
    known = { token, until: parts.clock().getTime() + seconds * 1000 - SPARE_MS, keyId: key.privateKeyId }
    return token
  }
  return {
    async token() {
      const key = await parts.key()
      const { privateKeyId: keyId } = key
      if (known?.keyId === keyId && known.until > parts.clock().getTime()) return known.token
      if (asking?.keyId === keyId) return asking.token
      const own = { keyId, token: ask(key) }
      asking = own
      try {
        return await own.token
      } finally {
        if (asking === own) asking = undefined
      }
    },
    forget() {
      known = undefined
    },
  }
}

async function requestToken({ scope, call, clock }: ServiceAccountParts, key: ServiceAccountKey) {
  const now = Math.floor(clock().getTime() / 1000)
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.privateKeyId })
    .setIssuer(key.clientEmail)
    .setSubject(key.clientEmail)
    .setAudience(key.tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(await importPKCS8(key.privateKey, 'RS256'))
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const signal = AbortSignal.timeout(TOTAL_MS)
  const { status, body: answer } = await call(key.tokenUri, { method: 'POST', body, headers, maxBytes: MAX_BYTES, signal })
  const grant = foreignJsonIn(answer.toString('utf8'))
  if (status !== 200) {
    const reason = isObject(grant) && typeof grant.error === 'string' ? grant.error.slice(0, 100) : 'no reason'
    throw new Error(`the authorization server gives ${key.clientEmail} no token (${status}, ${reason})`)
  }
  if (!isObject(grant) || typeof grant.access_token !== 'string')
    throw new Error('the authorization server answers without a token')
  return { token: grant.access_token, seconds: typeof grant.expires_in === 'number' ? grant.expires_in : 0 }
}
