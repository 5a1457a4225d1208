import { constants, type KeyObject, sign, verify } from 'node:crypto'
import type { SignatureAlgorithm } from './profile.ts'

/** RFC 9421 §3.3.1: the salt is as long as the SHA-512 hash. */
const PSS_SALT_BYTES = 64

/** Node's arguments for each algorithm of RFC 9421 §3.3. ECDSA signatures are `r‖s`, never DER (§3.3.4). */
const ALGORITHMS = {
  ed25519: { hash: null, options: {} },
  'ecdsa-p256-sha256': { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  'rsa-pss-sha512': { hash: 'sha512', options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: PSS_SALT_BYTES } },
} as const satisfies Record<SignatureAlgorithm, object>

/** Whether `alg` names an algorithm that this library knows at all; what is allowed is the verifier's policy. */
export function isSignatureAlgorithm(alg: string): alg is SignatureAlgorithm {
  return Object.hasOwn(ALGORITHMS, alg)
}

/** Whether `signature` signs `data` under `key`. */
export function verifyBytes(algorithm: SignatureAlgorithm, key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const { hash, options } = ALGORITHMS[algorithm]
  return verify(hash, data, { key, ...options }, signature)
}

/** Signature of `data` in the form that goes on the wire. */
export function signBytes(algorithm: SignatureAlgorithm, key: KeyObject, data: Uint8Array): Uint8Array {
  const { hash, options } = ALGORITHMS[algorithm]
  return sign(hash, data, { key, ...options })
}
