import canonicalize from 'canonicalize'

/** Whether two JSON values say the same, in whatever order their members come. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other)
}
