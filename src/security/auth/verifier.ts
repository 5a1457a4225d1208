import type { Principal, Tenant } from '../../domain/identity/principal.ts'
import type { TransportCredentials } from './transport-credentials.ts'

/**
 * What a verifier makes of the transport's credentials: `absent` when it does not recognise any as its own kind, a typed
 * refusal (terminal: no other verifier is asked), or the principal and its tenant.
 */
export type Verdict =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'refused'
      /** Private: for the log. */
      readonly reason: string
      readonly challenge: string
      /** `AUTH_REQUIRED` when the same credential would count if it were sent in another way; default: AUTH_INVALID. */
      readonly code?: 'AUTH_REQUIRED'
      /** Public: what is wrong and what to send instead. Absent where it would help somebody who guesses. */
      readonly message?: string
      /** A credential that we gave out and that counted once: no guess. */
      readonly isOver?: true
    }
  | { readonly kind: 'verified'; readonly principal: Principal; readonly tenant: Tenant }

/** One mechanism. Reads the transport only, never the payload (AdCP authentication page). */
export interface Verifier {
  readonly name: string
  verify(credentials: TransportCredentials, now: Date): Promise<Verdict>
}
