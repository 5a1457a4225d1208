import type { Principal } from '../../domain/identity/principal.ts'
import type { Verdict, Verifier } from './verifier.ts'

/**
 * Asks every mechanism and answers as one: a refusal by any of them decides, and credentials of two principals are refused,
 * since each might have been attached by somebody else. Of several credentials of one principal the first counts.
 */
export function singlePrincipal(verifiers: readonly Verifier[], challenge: string): Verifier {
  return {
    name: verifiers.map(({ name }) => name).join('+'),
    async verify(credentials, now): Promise<Verdict> {
      let first: Extract<Verdict, { kind: 'verified' }> | undefined
      for (const verifier of verifiers) {
        const verdict = await verifier.verify(credentials, now)
        if (verdict.kind === 'refused') return verdict
        if (verdict.kind === 'absent') continue
        if (first && !isSame(first.principal, verdict.principal)) {
          return { kind: 'refused', reason: 'credentials of two principals', challenge }
        }
        first ??= verdict
      }
      return first ?? { kind: 'absent' }
    },
  }
}

function isSame(a: Principal, b: Principal): boolean {
  return a.tenantId === b.tenantId && a.principalId === b.principalId
}
