import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

/** Headers of a signed request of Trusted Match (specification, "Signature envelope"). */
export const SIGNATURE_HEADER = 'x-adcp-signature'
export const KEY_ID_HEADER = 'x-adcp-key-id'

/** A public key as `agent-signing-key.json` publishes it. */
export interface MatchKey {
  readonly kid: string
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** ISO 8601; signatures of epochs from here on are refused. */
  readonly revoked_at?: string
}

/** Signs texts as one router. */
export interface MatchSigner {
  /** Of its public key. */
  readonly key: MatchKey
  /** Ed25519, base64url without padding. */
  sign(base: string): string
  /** The same, made by another thread: a request about a user takes a signature for each provider, which can be repeated for no other. */
  signAside(base: string): Promise<string>
}

const signInPool = promisify<null, Buffer, KeyObject, Buffer>(sign)

/** A signer from the PEM text of an Ed25519 private key. Throws for any other key. */
export function createMatchSigner(kid: string, pem: string): MatchSigner {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`the signing key is ${key.asymmetricKeyType}; it has to be Ed25519`)
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    key: { kid, kty: 'OKP', crv: 'Ed25519', x },
    sign: (base) => sign(null, Buffer.from(base), key).toString('base64url'),
    signAside: async (base) => (await signInPool(null, Buffer.from(base), key)).toString('base64url'),
  }
}

/**
 * The epoch that a request was signed in, of those that are accepted; undefined for a signature of another text or key, and for one of a key that was
 * revoked by then (specification, "Key revocation").
 */
export function signedEpoch(
  key: MatchKey,
  signature: string,
  epochs: readonly number[],
  baseOf: (epoch: number) => string,
): number | undefined {
  if (!/^[A-Za-z0-9_-]{86}$/.test(signature)) return undefined
  const publicKey = publicKeyOf(key)
  const bytes = Buffer.from(signature, 'base64url')
  return epochs.find((epoch) => !isRevoked(key, epoch) && verify(null, Buffer.from(baseOf(epoch)), publicKey, bytes))
}

function publicKeyOf({ kty, crv, x }: MatchKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}

/** A key that was revoked within a day may have signed anything of that day. */
function isRevoked({ revoked_at: revokedAt }: MatchKey, epoch: number): boolean {
  return revokedAt !== undefined && (epoch + 1) * 86_400_000 > Date.parse(revokedAt)
}
