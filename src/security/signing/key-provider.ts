import type { PublishedJwk } from './jwk.ts'
import type { Signer } from './sign.ts'

/** What a key is for: the JWK's `adcp_use`. 3.0 receivers take no other than `webhook-signing` for webhooks, later ones either. */
export type KeyPurpose = 'webhook-signing' | 'request-signing' | 'governance-signing' | 'response-signing'

/** The deployment's own keys: in the store by default; a key management service can implement this too. */
export interface KeyProvider {
  /** The key that signs now. Throws when there is none or it cannot be opened. */
  signer(purpose: Exclude<KeyPurpose, 'response-signing'>): Promise<Signer>
  /** The key that signs the answers of one brand; made when there is none. */
  answerSigner(subject: string): Promise<Signer>
  /** Every key that verifiers have to know: coming, signing and lately retired ones. */
  published(): Promise<readonly PublishedJwk[]>
}
