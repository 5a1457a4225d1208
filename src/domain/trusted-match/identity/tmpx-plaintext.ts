import { createHash } from 'node:crypto'
import type { Identity } from './identity-messages.ts'

/** A token of a user in the form in which exposure tokens carry it. */
export interface TmpxIdentity {
  readonly uidType: string
  readonly bytes: Buffer
}

/** What an exposure token says (specification, "Binary format"). */
export interface TmpxPlaintext {
  /** Seconds since 1970. */
  readonly createdAt: number
  /** ISO 3166-1 alpha-2: where data about the user lies. */
  readonly country: string
  /** 8 random bytes, in hexadecimal. */
  readonly nonce: string
  readonly identities: readonly TmpxIdentity[]
}

const VERSION = 1
const HEADER_BYTES = 16

/**
 * Type ID and bytes of each kind of token, in the order in which they are kept when not all fit: opaque ids of providers first, what identifies a person
 * elsewhere last (buyer guide, "Responding to Identity Match").
 */
const TYPES: readonly (readonly [uidType: string, typeId: number, bytes: number])[] = [
  ['uid2', 1, 32],
  ['rampid', 4, 32],
  ['rampid_derived', 5, 48],
  ['euid', 2, 32],
  ['id5', 3, 32],
  ['pairid', 7, 32],
  ['publisher_first_party', 9, 32],
  ['maid', 6, 16],
  ['hashed_email', 8, 32],
]

/** Bytes of entries that leave the token within 255 characters (specification, "Size budget"). */
const MOST_ENTRY_BYTES = 120

/**
 * Tokens of a request in the form of exposure tokens, in order of priority. A token that is the text of bytes of its size (hexadecimal, base64, UUID) is
 * these bytes, any other is its SHA-256 (SHA-384 for 48 bytes). Types without an id, and nullifiers, which only a verified proof makes, are left out.
 */
export function tmpxIdentities(identities: readonly Identity[]): readonly TmpxIdentity[] {
  return TYPES.flatMap(([uidType, , size]) =>
    identities
      .filter((each) => each.uid_type === uidType)
      .map(({ user_token }) => ({ uidType, bytes: tokenBytes(user_token, size) })),
  )
}

/** The name under which exposures of a token are kept. */
export function identityKey({ uidType, bytes }: TmpxIdentity): string {
  return createHash('sha256').update(`${uidType}:`).update(bytes).digest('hex').slice(0, 32)
}

/** Writes the plaintext of an exposure token; entries from the first on that does not fit are left out. */
export function encodeTmpx({ createdAt, country, nonce, identities }: TmpxPlaintext): Buffer {
  const entries = fitting(identities)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(VERSION, 0)
  header.writeUInt32BE(createdAt, 1)
  header.write(country, 5, 2, 'ascii')
  header.write(nonce, 7, 8, 'hex')
  header.writeUInt8(entries.length, 15)
  const parts = entries.flatMap(({ uidType, bytes }) => [Buffer.from([typeOf(uidType)?.[1] ?? 0]), bytes])
  return Buffer.concat([header, ...parts])
}

/** Reads what {@link encodeTmpx} wrote, undefined for another version or a cut text. Entries from the first of an unknown type on are treated as absent. */
export function decodeTmpx(plaintext: Uint8Array): TmpxPlaintext | undefined {
  const bytes = Buffer.from(plaintext)
  if (bytes.length < HEADER_BYTES || bytes.readUInt8(0) !== VERSION) return undefined
  const identities: TmpxIdentity[] = []
  let at = HEADER_BYTES
  for (let left = bytes.readUInt8(15); left > 0; left -= 1) {
    const type = TYPES.find(([, id]) => id === bytes[at])
    if (!type) break
    const [uidType, , size] = type
    if (at + 1 + size > bytes.length) return undefined
    identities.push({ uidType, bytes: bytes.subarray(at + 1, at + 1 + size) })
    at += 1 + size
  }
  return {
    createdAt: bytes.readUInt32BE(1),
    country: bytes.toString('ascii', 5, 7),
    nonce: bytes.toString('hex', 7, 15),
    identities,
  }
}

/** The first entries, as many as fit. */
function fitting(identities: readonly TmpxIdentity[]): readonly TmpxIdentity[] {
  let size = 0
  const isOver = ({ bytes }: TmpxIdentity) => {
    size += 1 + bytes.length
    return size > MOST_ENTRY_BYTES
  }
  const end = identities.findIndex(isOver)
  return end === -1 ? identities : identities.slice(0, end)
}

function typeOf(uidType: string) {
  return TYPES.find(([name]) => name === uidType)
}

function tokenBytes(token: string, size: number): Buffer {
  const hex = token.replaceAll('-', '')
  if (/^[0-9a-f]+$/i.test(hex) && hex.length === size * 2) return Buffer.from(hex, 'hex')
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(token)) {
    const decoded = Buffer.from(token, 'base64')
    if (decoded.length === size) return decoded
  }
  const digest = size > 32 ? 'sha384' : 'sha256'
  return createHash(digest).update(token).digest().subarray(0, size)
}
