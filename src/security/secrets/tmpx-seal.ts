import { createPrivateKey, createPublicKey } from 'node:crypto'

/** Seals and opens exposure tokens of Trusted Match: `kid.ciphertext`, base64url without padding (specification, "Wire format"). */
export interface TmpxSeal {
  seal(plaintext: Uint8Array): Promise<string>
  /** Undefined for what was not sealed for this key. */
  open(value: string): Promise<Uint8Array | undefined>
}

/** Bytes of an encapsulated X25519 key. */
const ENC_BYTES = 32
const LONGEST = 1024
/** PKCS #8 of an X25519 private key, without the key's 32 bytes (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

/**
 * HPKE (RFC 9180) in base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305 for the holder of one key (specification, "Encryption"). `privateKey`: 32 raw bytes; `kid` has at most 8 characters.
 */
export async function createTmpxSeal(kid: string, privateKey: Uint8Array): Promise<TmpxSeal> {
  const [{ CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 }, { Chacha20Poly1305 }] = await Promise.all([
    import('@hpke/core'),
    import('@hpke/chacha20poly1305'),
  ])
  const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Chacha20Poly1305() })
  const recipientKey = await suite.kem.importKey('raw', copyOf(privateKey), false)
  const publicKey = publicBytes(privateKey)
  const recipientPublicKey = await suite.kem.importKey('raw', copyOf(publicKey), true)
  return {
    async seal(plaintext) {
      const { enc, ct } = await suite.seal({ recipientPublicKey }, copyOf(plaintext))
      return `${kid}.${Buffer.concat([Buffer.from(enc), Buffer.from(ct)]).toString('base64url')}`
    },
    async open(value) {
      const [id, text = '', more] = value.length > LONGEST ? [] : value.split('.')
      if (id !== kid || more !== undefined || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length <= ENC_BYTES || bytes.toString('base64url') !== text) return undefined
      try {
        const enc = copyOf(bytes.subarray(0, ENC_BYTES))
        return new Uint8Array(await suite.open({ recipientKey, enc }, copyOf(bytes.subarray(ENC_BYTES))))
      } catch {
        return undefined
      }
    },
  }
}

/** The 32 bytes of an X25519 private key in a PEM text. Throws for any other key. */
export function x25519PrivateKey(pem: string): Uint8Array {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'x25519') throw new Error(`the key is ${key.asymmetricKeyType}; it has to be X25519`)
  const { d = '' } = key.export({ format: 'jwk' })
  return Buffer.from(d, 'base64url')
}

function publicBytes(privateKey: Uint8Array): Uint8Array {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, privateKey]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** The library takes whole buffers, not parts of the pool that small ones lie in. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
