import { randomBytes } from 'node:crypto'

/** As authenticator apps compute them (RFC 6238 §1.2): all of them know SHA-1, six digits and 30 seconds, and some know nothing else. */
const TERMS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226 §4, R6: 160 bits are recommended. */
const SECRET_BYTES = 20
/** Steps by which the clock of a telephone may differ (RFC 6238 §5.2 recommends one at most). */
const DRIFT = 1

/** A new secret of an authenticator app (base32). */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await import('../../platform/libraries/one-time-codes.ts')
  return new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32
}

/** What an authenticator app is set up with: `otpauth://totp/…`. */
export async function totpAddress(secret: string, issuer: string, label: string): Promise<string> {
  const { Secret, TOTP } = await import('../../platform/libraries/one-time-codes.ts')
  return new TOTP({ ...TERMS, secret: Secret.fromBase32(secret), issuer, label }).toString()
}

/** The time step whose code this is, within the drift; undefined: of none. Blanks in the code count for nothing. */
export async function totpStep(secret: string, code: string, now: Date): Promise<number | undefined> {
  const token = code.slice(0, 100).replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const { Secret, TOTP } = await import('../../platform/libraries/one-time-codes.ts')
  const totp = new TOTP({ ...TERMS, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: now.getTime(), window: DRIFT })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / TERMS.period) + delta
}

/** A QR code (ISO/IEC 18004) as the address of an image, black on white in every theme, since cameras want that. */
export async function qrCode(text: string): Promise<string> {
  const { generate, toSvgSource } = await import('../../platform/libraries/qr-code.ts')
  const svg = toSvgSource(generate(text), { on: '#000', off: '#fff', scale: 4 })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
