/**
 * How bytes are written between the colons of a structured-field byte sequence: RFC 8941 uses padded `base64`; the AdCP
 * 3.0 and 3.1 signing profiles use unpadded `base64url`.
 */
export type ByteEncoding = 'base64' | 'base64url'

/** `:…:` around the bytes. */
export function formatByteSequence(bytes: Uint8Array, encoding: ByteEncoding): string {
  return `:${Buffer.from(bytes).toString(encoding)}:`
}

/**
 * Bytes of `:…:` when it is written in exactly this encoding, else undefined. Strict, because Node's decoder is not: it mixes
 * the alphabets, skips what it does not know and ignores spare bits, so several texts would mean the same signature.
 */
export function parseByteSequence(text: string, encoding: ByteEncoding): Uint8Array | undefined {
  const token = /^:([A-Za-z0-9+/_=-]*):$/.exec(text)?.[1]
  if (token === undefined) return undefined
  const bytes = Buffer.from(token, encoding)
  return bytes.toString(encoding) === token ? bytes : undefined
}
