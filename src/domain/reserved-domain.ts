/** RFC 2606 §2, RFC 6761 §6. */
const RESERVED = /(^|\.)(example|test|invalid|localhost)$|(^|\.)example\.(com|net|org)$/

/** Whether a host name (lower case, no trailing dot) is reserved for examples and tests, so that it leads nowhere. */
export function isReservedDomain(host: string): boolean {
  return RESERVED.test(host)
}
