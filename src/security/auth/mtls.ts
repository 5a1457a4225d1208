import type { Identity } from '../../domain/identity/identity.ts'
import { addressedIdentity } from './addressed-identity.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface MtlsOptions {
  /** A 401 needs a challenge, and there is no scheme for certificates (RFC 9110 §11.6.1): it names what else is served. */
  readonly challenge: string
  /** The active principals to which any of a certificate's names is pinned, the first pinned first. */
  readonly findPinned: (names: readonly string[]) => Promise<readonly Identity[]>
  /** The publisher that addresses without a name are of. */
  readonly publicTenant: () => Promise<string | undefined>
}

/** A certificate has at most this many names; the operator's authorities do not issue more, and each is looked up. */
const MAX_NAMES = 100

/**
 * Verifies the client certificate of the TLS connection: the operator's authorities must have issued it, and one of its names must
 * be pinned to exactly one principal (AdCP authentication page). Of several publishers {@link addressedIdentity} takes one. Headers in which
 * proxies name a certificate are never read.
 */
export function mtlsVerifier({ challenge, findPinned, publicTenant }: MtlsOptions): Verifier {
  const refused = (reason: string): Verdict => ({ kind: 'refused', reason, challenge })
  return {
    name: 'mtls',
    async verify({ clientCertificate: certificate, target }): Promise<Verdict> {
      if (!certificate) return { kind: 'absent' }
      if (certificate.flaw !== undefined) return refused(`client certificate: ${certificate.flaw}`)
      if (certificate.names.length > MAX_NAMES) return refused('client certificate: too many names')
      const identity = await addressedIdentity(await findPinned(certificate.names), target, publicTenant)
      if (!identity) return refused('client certificate: not pinned to exactly one active principal')
      return {
        kind: 'verified',
        tenant: identity.tenant,
        principal: { ...identity.principal, mechanism: 'mtls', credentialId: certificate.names[0] ?? '' },
      }
    },
  }
}
