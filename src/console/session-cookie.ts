import { hash, timingSafeEqual } from 'node:crypto'
import { CONSOLE } from './route.ts'

/** Of browsers over https; without it (development on this machine) the prefix is not allowed (RFC 6265bis §4.1.3.1). */
const SECURE_NAME = '__Secure-sales-agent-console'
const PLAIN_NAME = 'sales-agent-console'

/** The token that the cookie of a request carries: a session's, or that of a browser nobody is signed in with. */
export function readCookie(header: string | undefined, isSecure: boolean): string | undefined {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at).trim() === name) return /^[A-Za-z0-9_-]{43}$/.exec(pair.slice(at + 1).trim())?.[0]
  }
  return undefined
}

/**
 * A `Set-Cookie` header for the token; null ends it. The cookie is not sent to any path but the console's, nor with forms of other sites; links
 * from mail still find the person signed in, hence Lax.
 */
export function writeCookie(token: string | null, isSecure: boolean): string {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME
  const attributes = `Path=${CONSOLE}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return token === null ? `${name}=; Max-Age=0; ${attributes}` : `${name}=${token}; ${attributes}`
}

/** What forms carry back: other sites can neither read the cookie nor this, which is made from it. */
export function csrfOf(token: string): string {
  return hash('sha256', `csrf of ${token}`, 'base64url')
}

export function csrfMatches(token: string, given: string): boolean {
  const [expected, sent] = [Buffer.from(csrfOf(token)), Buffer.from(given)]
  return expected.length === sent.length && timingSafeEqual(expected, sent)
}
