import { randomBytes } from 'node:crypto'
import { hashToken } from './opaque-key.ts'

const CODES = 10
/** 32 letters and digits that are hard to confuse: without l, o, 0 and 1. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** Of 5 bits each: 80 bits are nothing to guess, so that a fast hash is right. */
const LETTERS = 16

/** New recovery codes of a person, `xxxx-xxxx-xxxx-xxxx`, and what is stored of them. */
export function newRecoveryCodes(personId: string): readonly { readonly code: string; readonly hash: string }[] {
  return Array.from({ length: CODES }, () => {
    const letters = Array.from(randomBytes(LETTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
    const code = letters.replaceAll(/.{4}(?=.)/g, '$&-')
    return { code, hash: recoveryCodeHash(personId, code) }
  })
}

/** What is stored of a recovery code. Capitals, blanks and hyphens count for nothing. */
export function recoveryCodeHash(personId: string, code: string): string {
  return hashToken(
    `${personId} ${code
      .slice(0, 100)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}`,
  )
}
