import { Secret } from 'otpauth'
import { expect, it } from 'vitest'
import { newTotpSecret, qrCode, totpAddress, totpStep } from '../../../src/security/auth/one-time-code.ts'
import { newRecoveryCodes, recoveryCodeHash } from '../../../src/security/auth/recovery-codes.ts'

/** RFC 6238, appendix B: the secret of the vectors, and time and code (there of eight digits; six are its last ones, RFC 4226 §5.3). */
const SECRET = Secret.fromLatin1('12345678901234567890').base32
const VECTORS = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const

it.each(VECTORS)('at %i seconds the code is that of RFC 6238', async (seconds, code) => {
  const at = new Date(seconds * 1000)
  const six = code.slice(-6)
  const step = Math.floor(seconds / 30)
  expect(await totpStep(SECRET, six, at)).toBe(step)
  expect(await totpStep(SECRET, ` ${six.slice(0, 3)} ${six.slice(3)} `, at)).toBe(step)
  for (const [drift, found] of [
    [-60, undefined],
    [-30, step],
    [30, step],
    [60, undefined],
  ] as const)
    expect(await totpStep(SECRET, six, new Date((step * 30 + drift) * 1000))).toBe(found)
})

it.each(['', '12345', '1234567', '94287082', '28708a', '２８７０８２', '-28708', '2870.2', ' '.repeat(60_000)])(
  'of %j no code is read',
  async (text) => {
    expect(await totpStep(SECRET, text, new Date(59_000))).toBeUndefined()
  },
)

it('a secret has 160 random bits, and its address what apps read', async () => {
  const [one, two] = [await newTotpSecret(), await newTotpSecret()]
  expect(one).not.toBe(two)
  expect(Secret.fromBase32(one).bytes).toHaveLength(20)
  const address = new URL(await totpAddress(one, 'ads.example:8443', 'dana@publisher.example'))
  expect(`${address.protocol}//${address.host}`).toBe('otpauth://totp')
  expect(decodeURIComponent(address.pathname)).toBe('/ads.example:8443:dana@publisher.example')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    issuer: 'ads.example:8443',
    secret: one,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
  const [, svg = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(await qrCode(address.href)) ?? []
  expect(Buffer.from(svg, 'base64').toString()).toMatch(/^<svg [^<]*><rect [^<]*><\/rect><path [^<]*><\/path><\/svg>$/)
})

it('recovery codes are ten, different, of 80 bits, and found however they are written', () => {
  const made = newRecoveryCodes('p1')
  expect(new Set(made.map(({ code }) => code)).size).toBe(10)
  for (const { code, hash } of made) {
    expect(code).toMatch(/^(?:[a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/)
    for (const written of [code, code.toUpperCase(), ` ${code.replaceAll('-', ' ')} `, code.replaceAll('-', '')])
      expect(recoveryCodeHash('p1', written)).toBe(hash)
    expect(recoveryCodeHash('p2', code)).not.toBe(hash)
  }
})
