import { KEY_FORM } from '../security/auth/opaque-key.ts'
import type { TransportCredentials } from '../security/auth/transport-credentials.ts'
import { LIST_TOKEN_FORM } from '../store/inventory-list/list-tokens.ts'

/** What the member that holds a text may carry: nothing secret, a signed token (JWT), or a credential for another party. */
export type Carries = 'nothing' | 'signed token' | 'credential'

/** Shorter than this a secret is looked for as a whole text only: a password may be a word of any sentence. */
const LEAST_PART = 16
const LEAST_WHOLE = 6
/** The shortest text with user information, `a://@`. */
const LEAST_TEXT = 5
/** Of the other forms, the first line of a private key is the shortest. */
const LEAST_FORM = 22

const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY/i

/** RFC 7519 in its compact form (RFC 7515 §7.1): a Base64url JSON object, which begins with `eyJ` and is no shorter than `{"alg":1}`, and two more parts. */
const COMPACT_JWS = /(?<![\w-])eyJ[\w-]{9,}(?=\.[\w-]*\.)/g

/** The secrets of the caller's own `Authorization` header: the token, or a Basic pair in both forms and its password. */
export function secretsIn({ authorization = '' }: Pick<TransportCredentials, 'authorization'>): readonly string[] {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)/i.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return value === '' ? [] : [value]
  const pair = Buffer.from(value, 'base64').toString('utf8')
  return [value, pair, pair.slice(pair.indexOf(':') + 1)]
}

/** The caller's secrets, and how each may be written otherwise. */
export interface SecretSpellings {
  readonly secrets: readonly string[]
  /** Letters and digits alone of those that may be a part of a text, and of what is the same in their base64 wherever it begins in a text. */
  readonly letters: readonly string[]
  /** The same in lower-case hex. */
  readonly hex: readonly string[]
}

/** Prepares secrets to be looked for. */
export function withSpellings(secrets: readonly string[]): SecretSpellings {
  const parts = secrets.filter(({ length }) => length >= LEAST_PART)
  const written = parts.flatMap((secret) => [secret, ...[0, 1, 2].map((before) => coreInBase64(secret, before))])
  return {
    secrets,
    letters: written.map((each) => lettersOf(each).toString('latin1')).filter(({ length }) => length >= LEAST_PART),
    hex: parts.map((secret) => Buffer.from(secret).toString('hex')),
  }
}

/** The characters of base64 (RFC 4648 §4) that a secret alone decides, when `before` bytes modulo three stand before it. */
function coreInBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  const whole = Math.floor((bytes.length * 8) / 6)
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole)
}

/** Of each byte, whether it is a letter or digit of ASCII. */
const IS_LETTER = Uint8Array.from({ length: 256 }, (_, code) => (/[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0))

/** Without the two signs of either alphabet of base64, line breaks, separators between digits, and what is drawn as nothing. Byte by byte: a pattern takes far longer where separators are many. */
function lettersOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  let end = 0
  for (const byte of bytes) if (IS_LETTER[byte] === 1) bytes[end++] = byte
  return bytes.subarray(0, end)
}

function holdsSecret(text: string, spellings: SecretSpellings): boolean {
  const { secrets, hex } = spellings
  if (secrets.some((secret) => (secret.length < LEAST_PART ? isWhole(text, secret) : text.includes(secret)))) return true
  if (hex.length === 0 || text.length < LEAST_PART) return false
  if (spellsSecret(text, spellings)) return true
  const decoded = text.includes('%') ? percentDecoded(text) : text
  // Base64 may hold what looks like an escape ("Y0x1aF"), so both layers are looked at.
  const plain = /[\\&]|0x/i.test(decoded) ? unescaped(decoded) : decoded
  return [decoded, plain].some((layer) => layer !== text && isSpelt(layer, spellings))
}

function isSpelt(text: string, spellings: SecretSpellings): boolean {
  return spellings.secrets.some((each) => isLongPart(text, each)) || spellsSecret(text, spellings)
}

function isLongPart(text: string, secret: string): boolean {
  return secret.length >= LEAST_PART && text.includes(secret)
}

function spellsSecret(text: string, { letters, hex }: SecretSpellings): boolean {
  const own = lettersOf(text).toString('latin1')
  if (letters.some((each) => own.includes(each))) return true
  const lower = own.toLowerCase()
  return hex.some((digits) => lower.includes(digits))
}

/** Characters of ASCII as strings of programs (`\x73`, `\u0073`, `\u{73}`, `\163`), lists of bytes (`0x73`) and HTML (`&#115;`, `&#x73;`) write them. */
const ESCAPE =
  /(?:\\x|\\u00|\\u\{0{0,6}|&#x0{0,8}|0x)([0-9a-f]{2})(?:\}|;)?|\\([0-7]{3})|&#0{0,8}(\d{2,3});?|&(?:lowbar|underbar|hyphen|dash|nbsp|shy|zwnj|zwj);/gi

function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_all, hex?: string, octal?: string, decimal?: string) => {
    const digits = hex ?? octal ?? decimal
    return digits === undefined ? '' : String.fromCharCode(Number.parseInt(digits, hex ? 16 : octal ? 8 : 10))
  })
}

const PERCENT = 37

/** A text as Latin-1 with its percent-encoded characters decoded, also where the `%` was encoded again, and again. One pass over its bytes. */
function percentDecoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    let digits = at + 1
    while (byte === PERCENT && bytes[digits] === 50 && bytes[digits + 1] === 53) digits += 2
    const code = byte === PERCENT ? hexValue(bytes[digits]) * 16 + hexValue(bytes[digits + 1]) : Number.NaN
    if (Number.isNaN(code)) {
      bytes[end++] = byte === PERCENT && digits > at + 1 ? PERCENT : byte
      if (byte === PERCENT) at = digits - 1
      continue
    }
    bytes[end++] = code
    at = digits + 1
  }
  return bytes.toString('latin1', 0, end)
}

function hexValue(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : Number.NaN
}

/**
 * Whether a text holds a credential: one of the caller's own `secrets` (also in base64, hex, percent-encoding or escapes, wrapped or with separators), a key or list token that this program gives out, user information in a URL
 * (RFC 3986 §3.2.1), a private key in PEM, or a JWT. A member made for tokens may hold a JWT, one made for credentials a list token too.
 */
export function holdsCredential(text: string, secrets: SecretSpellings, carries: Carries): boolean {
  if (text.length < LEAST_TEXT) return false
  if (holdsSecret(text, secrets)) return true
  if (hasUserInformation(text)) return true
  if (text.length < LEAST_FORM) return false
  if (KEY_FORM.test(text) || PRIVATE_KEY.test(text)) return true
  if (carries !== 'credential' && LIST_TOKEN_FORM.test(text)) return true
  return carries === 'nothing' && hasSignedToken(text)
}

function isWhole(text: string, secret: string): boolean {
  return secret.length >= LEAST_WHOLE && text === secret
}

/** An `@` before the end of the authority that follows `//`; browsers read `\` as `/`. Without a scheme before it, only a name with a password is none of a comment or path. */
function hasUserInformation(text: string): boolean {
  for (let at = text.indexOf('//'); at !== -1; at = text.indexOf('//', at + 2)) {
    const hasScheme = text.charAt(at - 1) === ':' && /[A-Za-z0-9+.-]/.test(text.charAt(at - 2))
    let hasPassword = hasScheme
    for (let index = at + 2; index < text.length; index++) {
      const character = text.charAt(index)
      if (character === '@' && hasPassword) return true
      if (character === ':' && index > at + 2) hasPassword = true
      if (/[/\\?#\s"'<>`]/.test(character)) break
    }
  }
  return false
}

function hasSignedToken(text: string): boolean {
  for (const [header] of text.matchAll(COMPACT_JWS)) {
    const json = Buffer.from(header, 'base64url').toString('utf8')
    if (/"(?:alg|typ)"\s*:/.test(json)) return true
  }
  return false
}
