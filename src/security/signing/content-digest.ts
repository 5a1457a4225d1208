import { createHash, timingSafeEqual } from 'node:crypto'
import { type ByteEncoding, formatByteSequence, parseByteSequence } from './byte-sequence.ts'
import { MalformedField, splitDictionary } from './dictionary.ts'

/** RFC 9530 `Content-Digest` value of the raw body bytes: `sha-256=:…:`. */
export function contentDigest(body: Uint8Array, encoding: ByteEncoding = 'base64'): string {
  return `sha-256=${formatByteSequence(sha256(body), encoding)}`
}

/**
 * The sha-256 member of a `Content-Digest` value; other algorithms are let through. Either alphabet is read, because the 3.0
 * text says base64url and every published vector uses base64, but never both in one token.
 * Throws {@link MalformedField} for a repeated or unreadable member and when there is no sha-256.
 */
export function parseContentDigest(value: string): Uint8Array {
  const member = splitDictionary(value).get('sha-256')
  if (member === undefined) throw new MalformedField('Content-Digest has no sha-256 member')
  const digest = parseByteSequence(member, 'base64') ?? parseByteSequence(member, 'base64url')
  if (digest?.length !== 32) throw new MalformedField('sha-256 member is not a 32-byte sequence')
  return digest
}

/** Whether `digest` is the SHA-256 of the body, compared in constant time. */
export function digestMatches(digest: Uint8Array, body: Uint8Array): boolean {
  return timingSafeEqual(digest, sha256(body))
}

function sha256(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest()
}
