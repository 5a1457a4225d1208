import type { ResolvedKey } from './keys.ts'

export type RevocationStatus = 'good' | 'revoked' | 'stale'

/** Says whether a key may still be used. `stale` means that nobody can tell. */
export interface RevocationSource {
  status(key: ResolvedKey, nowSeconds: number): Promise<RevocationStatus>
}

/** Keys that the operator of this deployment has revoked. */
export function operatorRevocations(isRevoked: (keyid: string) => boolean | Promise<boolean>): RevocationSource {
  return { status: async (key) => ((await isRevoked(key.jwk.kid)) ? 'revoked' : 'good') }
}

/** Asks all sources: revoked anywhere is revoked, stale anywhere is stale. */
export function allRevocations(sources: readonly RevocationSource[]): RevocationSource {
  return {
    async status(key, nowSeconds) {
      const statuses = await Promise.all(sources.map((source) => source.status(key, nowSeconds)))
      if (statuses.includes('revoked')) return 'revoked'
      return statuses.includes('stale') ? 'stale' : 'good'
    },
  }
}
