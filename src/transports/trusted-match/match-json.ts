import { JsonRefused, parseJson } from '../../platform/decode/parse-json.ts'

/**
 * The JSON of a message, as `parseJson` reads it, without half of a surrogate pair in any text: such a text has no UTF-8 form, so that it can be neither
 * signed nor sent on as it came (RFC 8785 §3.2.2.2, RFC 7493 §2.1). Throws JsonRefused.
 */
export function parseMatchJson(body: Uint8Array): unknown {
  const value = parseJson(body)
  // UTF-8 has no surrogates, so that one can only come as an escape.
  const hasEscapes = Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('\\u')
  if (hasEscapes && !isWellFormed(value)) throw new JsonRefused('encoding', 'A text in the body has half of a surrogate pair')
  return value
}

/** Depth and size of the value are bounded where it was parsed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isWellFormed(name) && isWellFormed(member))
}
