import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A certificate of a test web: PEM for TLS, and the key that belongs to it. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM trust root to hand to a client. */
  readonly ca: string
  /** A leaf certificate for one host name or IPv4 address, and for a URI beside it. */
  issue(name: string, uri?: string): Certificate
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const size = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (text: string) => der(0x17, Buffer.from(text))
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = '550403'
const VALIDITY = sequence(utcTime('200101000000Z'), utcTime('490101000000Z'))

const name = (text: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(text)))))
const extension = (id: string, critical: boolean, value: Buffer) =>
  sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value))

/** GeneralName of a host (RFC 5280 §4.2.1.6): dNSName, or iPAddress for an address. */
const subjectName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))

function certificate(subject: string, publicKey: KeyObject, extensions: Buffer[], signer: KeyObject): string {
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    name('Fake Web Test Root'),
    VALIDITY,
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, signer)
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
  return `-----BEGIN CERTIFICATE-----\n${whole
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** Makes a throw-away certificate authority (X.509 v3, P-256) in memory; no tool and no file is involved. */
export function createAuthority(): Authority {
  const root = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const leaf = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const keyId = createHash('sha1')
    .update(root.publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
  const isCa = extension('551d13', true, sequence(der(0x01, Buffer.from([0xff]))))
  const ca = certificate(
    'Fake Web Test Root',
    root.publicKey,
    [isCa, extension('551d0e', false, der(0x04, keyId))],
    root.privateKey,
  )
  return {
    ca,
    issue: (host, uri) => {
      const names = [subjectName(host), ...(uri === undefined ? [] : [der(0x86, Buffer.from(uri))])]
      const alternative = extension('551d11', false, sequence(...names))
      return { cert: certificate(host.slice(0, 60), leaf.publicKey, [alternative], root.privateKey), key }
    },
  }
}
