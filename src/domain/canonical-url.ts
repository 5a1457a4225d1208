import { isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** The one form of a URL that AdCP signs and compares. */
export interface CanonicalUrl {
  /** RFC 9421 §2.2.2 `@target-uri`. */
  readonly targetUri: string
  /** RFC 9421 §2.2.3 `@authority`. */
  readonly authority: string
}

/** A URL that has no canonical form. The message says why and repeats nothing of the URL. */
export class MalformedUrl extends Error {
  override readonly name = 'MalformedUrl'
}

const PARTS = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/i
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** An absolute http(s) URL in canonical form, in parts. */
export interface CanonicalParts {
  readonly scheme: 'http' | 'https'
  readonly hasUserinfo: boolean
  /** Host and, unless it is the default of the scheme, port. */
  readonly authority: string
  readonly path: string
  /** With its `?`, byte for byte; empty when there is none. */
  readonly query: string
}

/**
 * Canonical form of an absolute http(s) URL (AdCP "@target-uri canonicalization"): scheme and host in lower case and
 * A-labels, no userinfo, default port or fragment, dot segments removed but `//` not, unreserved octets decoded, the
 * query byte for byte. WHATWG `URL` is no help here: it loses a bare `?` and re-encodes query bytes.
 * Throws {@link MalformedUrl}.
 */
export function canonicalUrl(url: string): CanonicalUrl {
  const { scheme, authority, path, query } = canonicalParts(url)
  return { authority, targetUri: `${scheme}://${authority}${path}${query}` }
}

/** Several times what servers take (RFC 9110 §4.1 asks for 8,000 octets): percent-encoded, some tens of milliseconds. */
const LONGEST = 65_536

/** The same in parts, for who compares some of them. Throws {@link MalformedUrl}. */
export function canonicalParts(url: string): CanonicalParts {
  if (url.length > LONGEST) throw new MalformedUrl(`a URL has at most ${LONGEST} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(url)) throw new MalformedUrl('a URL holds no whitespace, control character or backslash')
  const match = PARTS.exec(url)
  if (!match) throw new MalformedUrl('not an absolute http or https URL')
  const [, rawScheme = '', rawAuthority = '', path = '', query = ''] = match
  const scheme = rawScheme.toLowerCase() === 'http' ? 'http' : 'https'
  return {
    scheme,
    hasUserinfo: rawAuthority.includes('@'),
    authority: canonicalAuthority(rawAuthority, scheme),
    path: canonicalPath(path),
    query: ascii(query),
  }
}

/**
 * Canonical `host[:port]` of an authority as received (a `Host` header or the part of a URL), for the scheme whose default
 * port is dropped. Throws {@link MalformedUrl}.
 */
export function canonicalAuthority(authority: string, scheme: string): string {
  const hostPort = authority.slice(authority.lastIndexOf('@') + 1)
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]*))?$/.exec(hostPort)
  if (!match) throw new MalformedUrl('authority is not host or host:port; an IPv6 address needs brackets')
  const host = canonicalHost(match[1] ?? '')
  const port = canonicalPort(match[2] ?? '')
  return port === undefined || port === DEFAULT_PORTS[scheme.toLowerCase()] ? host : `${host}:${port}`
}

function canonicalHost(host: string): string {
  if (host.startsWith('[')) {
    const address = host.slice(1, -1)
    // RFC 6874 zone identifiers mean nothing outside the host that wrote them; isIPv6 would accept them.
    if (address.includes('%') || !isIPv6(address)) throw new MalformedUrl('bracketed host is not an IPv6 address')
    return host.toLowerCase()
  }
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range
  const labels = /^[\u0000-\u007f]*$/.test(name) ? name.toLowerCase() : domainToASCII(name)
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(labels)) throw new MalformedUrl('host is empty or not a host name')
  return labels
}

function canonicalPort(port: string): number | undefined {
  if (port === '') return undefined
  const value = Number(port)
  if (value > 65_535) throw new MalformedUrl('port is out of range')
  return value
}

/** RFC 3986 §6.2.2: decode first, so that an encoded dot cannot hide a dot segment. */
function canonicalPath(path: string): string {
  const decoded = ascii(path).replace(/%(..?)?/g, (_triplet, hex: string | undefined) => {
    if (hex === undefined || !/^[0-9a-f]{2}$/i.test(hex)) throw new MalformedUrl('path holds an incomplete percent-encoding')
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : `%${hex.toUpperCase()}`
  })
  return removeDotSegments(decoded)
}

/** RFC 3986 §5.2.4 for an absolute path; an empty segment is a segment, so `//` survives. */
function removeDotSegments(path: string): string {
  const kept: string[] = []
  const segments = path.split('/').slice(1)
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
    const isLast = index === segments.length - 1
    if (isLast && (segment === '.' || segment === '..')) kept.push('')
  }
  return `/${kept.join('/')}`
}

/** What a request line can carry; an IRI has to be encoded before it is signed. */
function ascii(part: string): string {
  if (/[^!-~]/.test(part)) throw new MalformedUrl('path and query are ASCII; encode other characters')
  return part
}
