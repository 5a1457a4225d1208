import type { PublishedJwk } from './jwk.ts'
import type { Signer } from './sign.ts'

/** What a key is for: the JWK's `adcp_use`. 3.0 receivers take no other than `webhook-signing` for webhooks, later ones either. */
export type KeyPurpose = 'webhook-signing' | 'request-signing' | 'governance-signing' | BrandKeyPurpose

/** Purposes of which each brand has a key of its own, so that nothing of one passes for that of another. */
export const BRAND_KEY_PURPOSES = ['response-signing', 'attestation-signing'] as const
export type BrandKeyPurpose = (typeof BRAND_KEY_PURPOSES)[number]

/** The deployment's own keys: in the store by default; a key management service can implement this too. */
export interface KeyProvider {
  /** The key that signs now. Throws when there is none or it cannot be opened. */
  signer(purpose: Exclude<KeyPurpose, BrandKeyPurpose>): Promise<Signer>
  /** The key that signs for one brand: its answers, or the grants of its rights. Made when there is none, so it is asked outside of transactions. */
  brandSigner(purpose: BrandKeyPurpose, subject: string): Promise<Signer>
  /** Every key that verifiers have to know: coming, signing and lately retired ones. */
  published(): Promise<readonly PublishedJwk[]>
}
