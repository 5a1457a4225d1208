import { createHmac, timingSafeEqual } from 'node:crypto'

/** An ad that was decided on: what its events are counted for. */
export interface Served {
  readonly decisionId: string
  readonly tenantId: string
  readonly lineId: string
  readonly creativeId: string
  readonly place: string
  /** Price of one pricing unit at the time of the decision. */
  readonly rateMicros: number
  /** Whether who asked is a program that says so. */
  readonly isBot: boolean
  /** Milliseconds of the decision. */
  readonly at: number
}

/** Signs what an ad's addresses carry, and reads it back. */
export interface AdTokens {
  sign(served: Served): string
  /** Undefined for what this deployment did not sign. */
  read(token: string): Served | undefined
}

/** Half of SHA-256: 128 bits cannot be guessed, and addresses stay short (RFC 2104 §5). */
const SIGNATURE_BYTES = 16
/** Longer than any token: ids are short. */
const LONGEST = 2_000

/** Signs values and reads them back. */
export interface SignedValues {
  /** `value`: anything that JSON can say. */
  sign(value: unknown): string
  /** Undefined for what was not signed with this key. */
  read(token: string): unknown
}

/** Keys that sign nothing else: one, or those in use now, of which the first signs and each is read. */
export type SigningKeys = string | (() => readonly string[])

/** Signs with HMAC-SHA-256 (RFC 2104). */
export function createSignedValues(given: SigningKeys): SignedValues {
  const keys = typeof given === 'string' ? () => [given] : given
  const signatureOf = (text: string, key = keys()[0] ?? '') =>
    createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES)
  return {
    sign(value) {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${text}.${signatureOf(text).toString('base64url')}`
    },
    read(token) {
      if (token.length > LONGEST) return undefined
      const [text = '', signature = '', more] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      if (more !== undefined || given.length !== SIGNATURE_BYTES) return undefined
      if (!keys().some((key) => timingSafeEqual(given, signatureOf(text, key)))) return undefined
      // Texts that differ only in bits that base64 ignores would otherwise be two tokens for one signature.
      if (given.toString('base64url') !== signature) return undefined
      return JSON.parse(Buffer.from(text, 'base64url').toString())
    },
  }
}

/** Signs tokens of ads. */
export function createAdTokens(key: SigningKeys): AdTokens {
  const values = createSignedValues(key)
  return {
    sign: ({ decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot, at }) =>
      values.sign([decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot ? 1 : 0, at]),
    read: (token) => servedOf(values.read(token)),
  }
}

/** Only {@link AdTokens.sign} writes what a signature covers; the types are checked all the same. */
function servedOf(parts: unknown): Served | undefined {
  if (!Array.isArray(parts)) return undefined
  const [decisionId, tenantId, lineId, creativeId, place, rateMicros, bot, at]: readonly unknown[] = parts
  if (
    typeof decisionId !== 'string' ||
    typeof tenantId !== 'string' ||
    typeof lineId !== 'string' ||
    typeof creativeId !== 'string' ||
    typeof place !== 'string' ||
    typeof rateMicros !== 'number' ||
    typeof at !== 'number'
  )
    return undefined
  return { decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot: bot === 1, at }
}
