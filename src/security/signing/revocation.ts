import type { ResolvedKey } from './keys.ts'

export type RevocationStatus = 'good' | 'revoked' | 'stale'

/** Says whether a key, or a token under it, may still be used. `stale` means that this is unknown. */
export interface RevocationSource {
  /** `jti`: the token that the key has signed, where there is one. */
  status(key: ResolvedKey, nowSeconds: number, jti?: string): Promise<RevocationStatus>
}

/** Keys that the operator of this deployment has revoked. */
export function operatorRevocations(isRevoked: (keyid: string) => boolean | Promise<boolean>): RevocationSource {
  return { status: async (key) => ((await isRevoked(key.jwk.kid)) ? 'revoked' : 'good') }
}

/** Asks all sources: revoked anywhere is revoked, stale anywhere is stale. */
export function allRevocations(sources: readonly RevocationSource[]): RevocationSource {
  return {
    async status(key, nowSeconds, jti) {
      const statuses = await Promise.all(sources.map((source) => source.status(key, nowSeconds, jti)))
      if (statuses.includes('revoked')) return 'revoked'
      return statuses.includes('stale') ? 'stale' : 'good'
    },
  }
}
