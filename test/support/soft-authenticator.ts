import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What an authenticator and its browser may do wrong. */
export interface Faults {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  /** Whether the person was verified, say by a fingerprint. Default: yes. */
  readonly isVerified?: boolean
  readonly type?: string
  /** Statement of attestation, as CBOR, and its format. */
  readonly attestation?: { readonly format: string; readonly statement: Buffer }
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string | undefined }
}

interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string | undefined
}

const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

/** An authenticator with one ES256 key, and the browser before it (WebAuthn Level 3): what a page would send back. */
export function softAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  const state = { counter: 0 }
  const client = (type: string, challenge: string, faults: Faults) =>
    Buffer.from(
      JSON.stringify({ type: faults.type ?? type, challenge: faults.challenge ?? challenge, origin: faults.origin ?? origin }),
    )
  const data = (rpId: string | undefined, flags: number, faults: Faults, more = Buffer.alloc(0)) => {
    state.counter += 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(state.counter)
    const verified = faults.isVerified === false ? 0 : VERIFIED
    const hash = createHash('sha256')
      .update(faults.rpId ?? rpId ?? '')
      .digest()
    return Buffer.concat([hash, Buffer.from([PRESENT | verified | flags]), counter, more])
  }
  const answer = (response: object) => ({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  return {
    state,
    /** `navigator.credentials.create` */
    create({ challenge, rp }: CreationOptions, faults: Faults = {}): string {
      const key = cborMap([
        [cborInt(1), cborInt(2)],
        [cborInt(3), cborInt(-7)],
        [cborInt(-1), cborInt(1)],
        [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
        [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, key])
      const { format, statement } = faults.attestation ?? { format: 'none', statement: cborMap([]) }
      const object = cborMap([
        [cborText('fmt'), cborText(format)],
        [cborText('attStmt'), statement],
        [cborText('authData'), cborBytes(data(rp.id, WITH_CREDENTIAL, faults, attested))],
      ])
      return JSON.stringify(
        answer({
          clientDataJSON: client('webauthn.create', challenge, faults).toString('base64url'),
          attestationObject: object.toString('base64url'),
          transports: ['internal'],
        }),
      )
    },
    /** `navigator.credentials.get` */
    get({ challenge, rpId }: RequestOptions, faults: Faults = {}): string {
      const clientData = client('webauthn.get', challenge, faults)
      const authenticatorData = data(rpId, 0, faults)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
      return JSON.stringify(
        answer({
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        }),
      )
    },
  }
}

export function cborMap(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}

export function cborArray(items: readonly Buffer[]): Buffer {
  return Buffer.concat([head(4, items.length), ...items])
}

export function cborText(text: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(text)), Buffer.from(text)])
}

export function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([head(2, bytes.length), bytes])
}

export function cborInt(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value)
}

/** RFC 8949 §3: major type and argument. */
function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument])
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255])
}
