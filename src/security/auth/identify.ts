import type { Identity } from '../../domain/identity/identity.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verifier } from './verifier.ts'

/** Who sent a message: a principal, a caller with refused credentials, or an anonymous caller. */
export type Caller =
  | ({ readonly kind: 'known' } & Identity)
  | { readonly kind: 'refused'; readonly error: AdcpError }
  | { readonly kind: 'anonymous' }

/** Asks the verifiers in order; the first that recognises the credentials decides. Throws when one cannot decide now. */
export async function identify(verifiers: readonly Verifier[], credentials: TransportCredentials, now: Date): Promise<Caller> {
  for (const verifier of verifiers) {
    const verdict = await verifier.verify(credentials, now)
    if (verdict.kind === 'verified') return { kind: 'known', principal: verdict.principal, tenant: verdict.tenant }
    if (verdict.kind === 'refused') {
      const error = new AdcpError(verdict.code ?? 'AUTH_INVALID', verdict.message ?? 'the credentials are not valid here', {
        http: { status: 401, headers: { 'WWW-Authenticate': verdict.challenge } },
        cause: verdict.reason,
      })
      return { kind: 'refused', error }
    }
  }
  return { kind: 'anonymous' }
}
