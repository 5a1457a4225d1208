import { hash, randomBytes } from 'node:crypto'

/** A freshly made key. `token` exists only here: it is shown once and never stored. */
export interface NewKey {
  readonly token: string
  readonly keyId: string
  readonly hash: string
  readonly prefix: string
  readonly lastFour: string
}

/** A whole key of {@link newKey} anywhere in a text: 12 hexadecimal digits of its id, 43 characters of its secret. */
export const KEY_FORM = /(?<![A-Za-z0-9])(?:sk|ak)_[0-9a-f]{12}_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/

/** Makes an opaque key with 256 random bits, `sk_<id>_<secret>`, or `ak_…` for the admin API; the id part is public and names the key in lists. */
export function newKey(prefix: 'sk' | 'ak' = 'sk'): NewKey {
  const keyId = randomBytes(6).toString('hex')
  const token = `${prefix}_${keyId}_${randomBytes(32).toString('base64url')}`
  return { token, keyId, hash: hashToken(token), prefix: token.slice(0, 15), lastFour: token.slice(-4) }
}

/**
 * SHA-256 of a token, hex. A fast hash is right here: the token holds 256 random bits, so there is nothing to guess, and
 * looking up by hash compares no secret byte by byte.
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
