import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { isObject } from '../../protocol/is-object.ts'
import { SignatureFault } from './challenge.ts'
import { JOSE_NAMES } from './jose-algorithms.ts'
import type { SignatureAlgorithm } from './profile.ts'

/** A public key as published in a JWKS (RFC 7517), with AdCP's `adcp_use`. Anything may be missing: it is somebody else's. */
export interface PublishedJwk {
  readonly kid: string
  readonly kty: string
  readonly crv?: string
  readonly alg?: string
  readonly use?: string
  readonly key_ops?: readonly string[]
  readonly adcp_use?: string
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
}

/** What a JWK has to declare beside its `alg` (RFC 8037 §2, RFC 7518 §6.2 and §6.3). */
const DECLARED: Readonly<Record<SignatureAlgorithm, { readonly kty: string; readonly crv?: string }>> = {
  ed25519: { kty: 'OKP', crv: 'Ed25519' },
  'ecdsa-p256-sha256': { kty: 'EC', crv: 'P-256' },
  'rsa-pss-sha512': { kty: 'RSA' },
}

/** NIST SP 800-131A: shorter RSA keys are not acceptable for signatures. */
const MIN_RSA_BITS = 2048

const MEMBERS = ['crv', 'alg', 'use', 'adcp_use', 'x', 'y', 'n', 'e'] as const

/**
 * Keys of a JWKS document, public members only. Entries without a text `kid` and `kty` are skipped: a key set may hold keys
 * that are not for us. Returns undefined when the document is not a JWKS or names one `kid` twice.
 */
export function readJwks(document: unknown): readonly PublishedJwk[] | undefined {
  if (!isObject(document) || !Array.isArray(document.keys)) return undefined
  const keys = document.keys.map(readJwk).filter((key) => key !== undefined)
  return new Set(keys.map((key) => key.kid)).size === keys.length ? keys : undefined
}

function readJwk(entry: unknown): PublishedJwk | undefined {
  if (!isObject(entry) || typeof entry.kid !== 'string' || typeof entry.kty !== 'string') return undefined
  const key: { -readonly [member in keyof PublishedJwk]: PublishedJwk[member] } = { kid: entry.kid, kty: entry.kty }
  for (const member of MEMBERS) {
    const value = entry[member]
    if (typeof value === 'string') key[member] = value
  }
  const operations = entry.key_ops
  if (Array.isArray(operations)) key.key_ops = operations.filter((operation) => typeof operation === 'string')
  return key
}

/** Names a public key by what it is, whatever it is called. */
export function keyThumbprint({ kty, crv, x, y, n, e }: PublishedJwk): string {
  return hash('sha256', JSON.stringify([kty, crv, x, y, n, e]), 'base64url')
}

/**
 * Whether a key may verify a signature of this algorithm in a profile that accepts `keyUses`. Everything has to be declared:
 * a key without `alg` or `adcp_use` could be talked into another purpose.
 * Throws {@link SignatureFault} `signature_key_purpose_invalid`.
 */
export function checkKeyPurpose(key: PublishedJwk, algorithm: SignatureAlgorithm, keyUses: readonly string[]): void {
  const declared = DECLARED[algorithm]
  if (key.use !== 'sig') refuse('use is not sig')
  if (!key.key_ops?.includes('verify')) refuse('key_ops does not allow verify')
  if (key.adcp_use === undefined || !keyUses.includes(key.adcp_use)) refuse(`adcp_use is not one of ${keyUses.join(', ')}`)
  if (key.alg !== JOSE_NAMES[algorithm] || key.kty !== declared.kty || key.crv !== declared.crv) {
    refuse(`alg, kty and crv do not declare a key for ${algorithm}`)
  }
}

/** Node's key of a checked JWK. Throws {@link SignatureFault} `signature_key_purpose_invalid` when its numbers make no key. */
export function publicKeyOf(jwk: PublishedJwk): KeyObject {
  try {
    const { kty, crv, x, y, n, e } = jwk
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty,
        ...(crv !== undefined && { crv }),
        ...(x !== undefined && { x }),
        ...(y !== undefined && { y }),
        ...(n !== undefined && { n }),
        ...(e !== undefined && { e }),
      },
    })
    if (kty === 'RSA' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) refuse('RSA key is too short')
    return key
  } catch (cause) {
    if (cause instanceof SignatureFault) throw cause
    throw new SignatureFault('signature_key_purpose_invalid', 'the JWK holds no usable key', { cause })
  }
}

function refuse(detail: string): never {
  throw new SignatureFault('signature_key_purpose_invalid', detail)
}
