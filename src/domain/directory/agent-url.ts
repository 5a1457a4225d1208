import { type CanonicalParts, canonicalParts, MalformedUrl } from '../canonical-url.ts'
import { withoutTrailing } from '../without-trailing.ts'

/** Longest agent URL that is taken as a key; longer ones are no address that anybody serves. */
const MAX_URL_LENGTH = 2048

/**
 * The key under which an agent is indexed and looked up: the canonical URL without the trailing slashes of its path
 * (a root path becomes nothing). Path case, scheme and query stay significant. Gives undefined for an empty or
 * relative value, whitespace, control characters, `*` and userinfo. Source: AdCP publisher directory page.
 */
export function agentKey(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH || url.includes('*')) return undefined
  const canonical = partsOf(url)
  if (!canonical || canonical.hasUserinfo) return undefined
  const path = withoutTrailing(canonical.path, '/')
  return `${canonical.scheme}://${canonical.authority}${path}${canonical.query}`
}

function partsOf(url: string): CanonicalParts | undefined {
  try {
    return canonicalParts(encodePath(url))
  } catch (error) {
    if (error instanceof MalformedUrl || error instanceof URIError) return undefined
    throw error
  }
}

/** People write paths in their own script; the canonical form has them encoded (RFC 3987 §3.1). The host is left to IDNA. */
function encodePath(url: string): string {
  const path = /^[^:/?#]+:\/\/[^/?#]*/.exec(url)?.[0].length ?? url.length
  return url.slice(0, path) + url.slice(path).replace(/\P{ASCII}+/gu, (text) => encodeURIComponent(text))
}
