import type { DigestPolicy } from '../../protocol/digest-policy.ts'
import type { ByteEncoding } from './byte-sequence.ts'
import type { ProfileName } from './challenge.ts'

/** Names of signature algorithms in `alg` (RFC 9421 §3.3). */
export type SignatureAlgorithm = 'ed25519' | 'ecdsa-p256-sha256' | 'rsa-pss-sha512'

/** What the request and the webhook flavour of the AdCP RFC 9421 profile do not share. */
export interface SigningProfile {
  readonly name: ProfileName
  /** The only accepted `tag`, compared byte for byte. */
  readonly tag: string
  /** Accepted values of the key's `adcp_use`. */
  readonly keyUses: readonly string[]
  readonly digest: DigestPolicy
  /** How we write the `Signature` value. */
  readonly encoding: ByteEncoding
  /** How others may write it. Each text has one reading: 64 bytes need padding in base64 and must not have it in base64url. */
  readonly accepted: readonly ByteEncoding[]
  /** What is wrong with an authority outside ASCII: the header in 3.0, the target URI from 3.1 on (vector 026 of either). */
  readonly authorityFault: 'signature_header_malformed' | 'target_uri_malformed'
}

/**
 * Signed AdCP calls: unpadded base64url in 3.0 and 3.1, padded base64 (RFC 9421 §4.2, RFC 8941 §3.3.5) in 3.2. `digest` is what the
 * capabilities advertise unless the operator decides otherwise: a signature without the digest says nothing about the body.
 */
export const REQUEST_PROFILE: SigningProfile = {
  name: 'request',
  tag: 'adcp/request-signing/v1',
  keyUses: ['request-signing'],
  digest: 'required',
  encoding: 'base64url',
  accepted: ['base64url', 'base64'],
  authorityFault: 'signature_header_malformed',
}

/** Signed calls, 3.1. */
export const REQUEST_PROFILE_3_1: SigningProfile = { ...REQUEST_PROFILE, authorityFault: 'target_uri_malformed' }

/** Signed calls as 3.2 writes them: nothing but padded base64, and the digest of every body covered. */
export const REQUEST_PROFILE_3_2: SigningProfile = { ...REQUEST_PROFILE_3_1, encoding: 'base64', accepted: ['base64'] }

const REQUEST_PROFILES = { '3.0': REQUEST_PROFILE, '3.1': REQUEST_PROFILE_3_1, '3.2': REQUEST_PROFILE_3_2 } as const

/** How calls are signed under a profile that an operator chose. 3.2 leaves no choice about the digest (AdCP "Signed requests", body integrity). */
export function requestProfile(name: keyof typeof REQUEST_PROFILES, digest: DigestPolicy): SigningProfile {
  return { ...REQUEST_PROFILES[name], digest: name === '3.2' ? 'required' : digest }
}

/** Signed webhooks, 3.0. From 3.1 on, receivers also take the sender's request-signing key: see {@link WEBHOOK_PROFILE_3_1}. */
export const WEBHOOK_PROFILE: SigningProfile = {
  name: 'webhook',
  tag: 'adcp/webhook-signing/v1',
  keyUses: ['webhook-signing'],
  digest: 'required',
  encoding: 'base64url',
  accepted: ['base64url'],
  authorityFault: 'signature_header_malformed',
}

export const WEBHOOK_PROFILE_3_1: SigningProfile = { ...WEBHOOK_PROFILE, keyUses: ['request-signing', 'webhook-signing'] }

/** Whether a message of this profile has to cover `content-digest`. Webhooks always have a body. */
export function needsDigest({ name, digest }: SigningProfile, body: Uint8Array): boolean {
  return digest === 'required' && (body.length > 0 || name === 'webhook')
}

/** `rsa-pss-sha512` is left out: conformance refuses it (AdCP negative vector 005), so an operator has to ask for it. */
export const DEFAULT_ALGORITHMS: readonly SignatureAlgorithm[] = ['ed25519', 'ecdsa-p256-sha256']

/** Longest `expires − created`, seconds. */
export const MAX_WINDOW_SECONDS = 300

/** How far the signer's clock may be from ours, seconds. */
export const CLOCK_SKEW_SECONDS = 60
