/** Longest agent URL that is taken as a key; longer ones are no address that anybody serves. */
const MAX_URL_LENGTH = 2048

const URL_SHAPE = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/
const DEFAULT_PORT: Readonly<Record<string, string>> = { https: '443', http: '80' }
const UNRESERVED = /^[A-Za-z0-9._~-]$/

/** An absolute http(s) URL in the 8-step form, in parts. `query` keeps its `?` and its bytes. */
export interface CanonicalUrl {
  readonly scheme: 'https' | 'http'
  readonly hasUserinfo: boolean
  /** Host and, unless it is the default of the scheme, port. */
  readonly authority: string
  readonly path: string
  readonly query: string
}

/**
 * Brings an http(s) URL into the canonical form that AdCP compares and signs: lower-case scheme and host, A-labels,
 * no default port, dot segments removed, percent-encoding normalised, query untouched, no fragment.
 * Gives undefined for anything malformed. Source: AdCP reference page "URL canonicalization"; RFC 3986 §5.2.4, §6.2.2.
 */
export function canonicalUrl(url: string): CanonicalUrl | undefined {
  const match = URL_SHAPE.exec(url)
  if (!match || url.length > MAX_URL_LENGTH) return undefined
  const scheme = (match[1] ?? '').toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return undefined
  const rawAuthority = match[2] ?? ''
  const at = rawAuthority.lastIndexOf('@')
  const hostAndPort = splitPort(rawAuthority.slice(at + 1))
  const host = hostAndPort && canonicalHost(hostAndPort.host)
  const path = normalisePercents(match[3] ?? '')
  if (!hostAndPort || !host || path === undefined) return undefined
  const port = hostAndPort.port === '' || hostAndPort.port === DEFAULT_PORT[scheme] ? '' : `:${hostAndPort.port}`
  return {
    scheme,
    hasUserinfo: at !== -1,
    authority: host + port,
    path: removeDotSegments(path) || '/',
    query: match[4] ?? '',
  }
}

/** The canonical URL as one string (what AdCP calls the target URI); userinfo is dropped. */
export function formatCanonicalUrl(url: CanonicalUrl): string {
  return `${url.scheme}://${url.authority}${url.path}${url.query}`
}

/**
 * The key under which an agent is indexed and looked up: the canonical URL without the trailing slashes of its path
 * (a root path becomes nothing). Path case, scheme and query stay significant. Gives undefined for an empty or
 * relative value, whitespace, control characters, `*` and userinfo. Source: AdCP publisher directory page.
 */
export function agentKey(url: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\s\u0000-\u001f\u007f*]/.test(url)) return undefined
  const canonical = canonicalUrl(url)
  if (!canonical || canonical.hasUserinfo) return undefined
  const path = canonical.path.replace(/\/+$/, '')
  return `${canonical.scheme}://${canonical.authority}${path}${canonical.query}`
}

function splitPort(authority: string): { host: string; port: string } | undefined {
  const bracketed = /^(\[[^\]]*\])(?::(\d*))?$/.exec(authority)
  const plain = /^([^:[\]]+)(?::(\d*))?$/.exec(authority)
  const match = bracketed ?? plain
  if (!match?.[1]) return undefined
  const port = (match[2] ?? '').replace(/^0+(?=\d)/, '')
  return Number(port) > 65_535 ? undefined : { host: match[1], port }
}

function canonicalHost(host: string): string | undefined {
  if (host.startsWith('[')) {
    // A zone identifier (RFC 6874) means nothing outside its node; the character class refuses its `%`.
    return /^\[[0-9a-fA-F:.]+\]$/.test(host) && URL.canParse(`http://${host}/`) ? host.toLowerCase() : undefined
  }
  const ascii = /^[\u0021-\u007e]+$/.test(host) ? host.toLowerCase() : toAsciiHost(host)
  const rootless = ascii?.replace(/\.$/, '')
  if (!rootless || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(rootless)) return undefined
  return rootless
}

/** UTS-46 non-transitional ToASCII, as the WHATWG URL parser does it. */
function toAsciiHost(host: string): string | undefined {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined
}

/** Upper-case hex, unreserved characters decoded, raw non-ASCII encoded; undefined for a broken escape. */
function normalisePercents(path: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(path) || /\p{Surrogate}/u.test(path)) return undefined
  return path
    .replace(/\P{ASCII}+/gu, (text) => encodeURIComponent(text))
    .replace(/%[0-9A-Fa-f]{2}/g, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
      return UNRESERVED.test(character) ? character : octet.toUpperCase()
    })
}

/** RFC 3986 §5.2.4; consecutive slashes are empty segments and stay. */
function removeDotSegments(path: string): string {
  const segments = path.split('/').slice(1)
  const kept: string[] = []
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
    if (last && (segment === '.' || segment === '..')) kept.push('')
  }
  return kept.length === 0 ? '' : `/${kept.join('/')}`
}
