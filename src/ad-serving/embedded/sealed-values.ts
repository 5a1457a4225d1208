import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Turns values into texts that nobody else can read or make. */
export interface SealedValues {
  /** `value`: anything that JSON can say. Base64url. */
  seal(value: unknown): string
  /** Undefined for what was not sealed with one of these keys. */
  read(token: string): unknown
}

/** Secrets of this purpose alone: one, or those in use now, of which the first seals and each is read. */
export type SealingKeys = string | (() => readonly string[])

/** Longer than any token: ids are short. */
const LONGEST = 2_000
/** Each token has a key of its own, so that neither tokens nor random IVs run out (NIST SP 800-38D, 8.3: 2^32 for one key). */
const SALT_BYTES = 12
const IV_BYTES = 12
const TAG_BYTES = 16
const SHORTEST = SALT_BYTES + IV_BYTES + TAG_BYTES

/** Seals with AES-256-GCM under keys that HMAC-SHA-256 makes of the secret and a random salt. Also reads what was signed alone, as versions before this did. */
export function createSealedValues(given: SealingKeys): SealedValues {
  const keys = typeof given === 'string' ? () => [given] : given
  return {
    seal(value) {
      const random = randomBytes(SALT_BYTES + IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyOf(keys()[0] ?? '', random), random.subarray(SALT_BYTES))
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([random, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    read(token) {
      if (token.length > LONGEST) return undefined
      if (token.includes('.')) return readSigned(token, keys())
      const bytes = Buffer.from(token, 'base64url')
      // Texts that differ only in bits or characters that base64 ignores would otherwise be two tokens for one value.
      if (bytes.length < SHORTEST || bytes.toString('base64url') !== token) return undefined
      for (const key of keys()) {
        const text = open(bytes, key)
        if (text !== undefined) return JSON.parse(text)
      }
      return undefined
    },
  }
}

/** What is signed is base64url, so that no signature is a key. */
function keyOf(secret: string, random: Buffer): Buffer {
  return createHmac('sha256', secret).update('seal\0').update(random.subarray(0, SALT_BYTES)).digest()
}

function open(bytes: Buffer, secret: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, bytes), bytes.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES + IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
  } catch {
    // Another key, or changed.
    return undefined
  }
}

/** Half of SHA-256: 128 bits cannot be guessed (RFC 2104 §5). */
const SIGNATURE_BYTES = 16

/** A value in plain base64url with its HMAC-SHA-256, as tokens were before they were sealed: events and links of that time count until they expire. */
function readSigned(token: string, keys: readonly string[]): unknown {
  const [text = '', signature = '', more] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  if (more !== undefined || given.length !== SIGNATURE_BYTES || given.toString('base64url') !== signature) return undefined
  const isOurs = (key: string) =>
    timingSafeEqual(given, createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES))
  return keys.some(isOurs) ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined
}
