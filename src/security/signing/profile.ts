import type { ByteEncoding } from './byte-sequence.ts'
import type { ProfileName } from './challenge.ts'

/** Whether a signature has to, may or must not cover `content-digest`. */
export type DigestPolicy = 'required' | 'either' | 'forbidden'

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
  /** How the `Signature` value is written. Fixed by configuration: a verifier never tries the other one. */
  readonly encoding: ByteEncoding
}

/** Signed AdCP calls, 3.0 and 3.1: unpadded base64url. `digest` is what the capabilities advertise. */
export const REQUEST_PROFILE: SigningProfile = {
  name: 'request',
  tag: 'adcp/request-signing/v1',
  keyUses: ['request-signing'],
  digest: 'either',
  encoding: 'base64url',
}

/** Signed webhooks, 3.0. From 3.1 on, receivers also take the sender's request-signing key: see {@link WEBHOOK_PROFILE_3_1}. */
export const WEBHOOK_PROFILE: SigningProfile = {
  name: 'webhook',
  tag: 'adcp/webhook-signing/v1',
  keyUses: ['webhook-signing'],
  digest: 'required',
  encoding: 'base64url',
}

export const WEBHOOK_PROFILE_3_1: SigningProfile = { ...WEBHOOK_PROFILE, keyUses: ['request-signing', 'webhook-signing'] }

/** `rsa-pss-sha512` is left out: conformance refuses it (AdCP negative vector 005), so an operator has to ask for it. */
export const DEFAULT_ALGORITHMS: readonly SignatureAlgorithm[] = ['ed25519', 'ecdsa-p256-sha256']

/** Longest `expires − created`, seconds. */
export const MAX_WINDOW_SECONDS = 300

/** How far the signer's clock may be from ours, seconds. */
export const CLOCK_SKEW_SECONDS = 60
