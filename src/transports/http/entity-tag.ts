/**
 * Whether an `If-None-Match` header names the entity tag, by the weak comparison that conditional reads ask for (RFC 9110 §13.1.2).
 * Tags made by this server hold no comma.
 */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
