import { withoutTrailing } from '../without-trailing.ts'

/** Lower-case labels, single label allowed (AdCP adagents.json, `publisher_domain`). */
const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
/** RFC 1035 §2.3.4. */
const MAX_DOMAIN_LENGTH = 253

/**
 * Canonical form of a publisher domain: trimmed, lower-case, without scheme and without any run of trailing `/` and
 * `.`; no IDN conversion. Gives undefined for what is no domain then.
 */
export function publisherDomain(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2 * MAX_DOMAIN_LENGTH) return undefined
  const host = value
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
  const domain = withoutTrailing(host, '/.')
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain) ? domain : undefined
}
