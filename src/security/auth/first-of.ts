import type { Verdict, Verifier } from './verifier.ts'

/** Several readings of one credential, here the value after `Bearer`: the first that recognises it decides, the others are not asked. */
export function firstOf(verifiers: readonly Verifier[]): Verifier {
  return {
    name: verifiers.map(({ name }) => name).join('|'),
    async verify(credentials, now): Promise<Verdict> {
      for (const verifier of verifiers) {
        const verdict = await verifier.verify(credentials, now)
        if (verdict.kind !== 'absent') return verdict
      }
      return { kind: 'absent' }
    },
  }
}
