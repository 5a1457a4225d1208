import type { KeyObject } from 'node:crypto'
import { SignatureFault } from './challenge.ts'
import { type PublishedJwk, publicKeyOf } from './jwk.ts'

/** A key and the one agent it speaks for. */
export interface ResolvedKey {
  readonly jwk: PublishedJwk
  readonly agentUrl: string
  /** Imported on first use: step 8 has to look at the JWK before its numbers are trusted to make a key. */
  publicKey(): KeyObject
}

/** Finds the key that a `keyid` names, or undefined. Throws `SignatureFault` when it cannot tell right now. */
export interface KeySource {
  find(keyid: string, nowSeconds: number): Promise<ResolvedKey | undefined>
}

/** Binds a JWK to its agent. */
export function resolvedKey(jwk: PublishedJwk, agentUrl: string): ResolvedKey {
  let imported: KeyObject | undefined
  return {
    jwk,
    agentUrl,
    publicKey: () => {
      imported ??= publicKeyOf(jwk)
      return imported
    },
  }
}

/** Keys that the operator registered together with an agent. */
export function registeredKeys(agentUrl: string, jwks: readonly PublishedJwk[]): KeySource {
  const byKid = new Map(jwks.map((jwk) => [jwk.kid, resolvedKey(jwk, agentUrl)]))
  return { find: async (keyid) => byKid.get(keyid) }
}

/**
 * The keys of several agents. A `keyid` has to lead to one agent: when two claim it, nobody signed. One agent whose key set
 * cannot be fetched does not lock out the others; its failure counts only when no other agent has the key.
 */
export function keysOfAgents(sources: () => Promise<readonly KeySource[]>): KeySource {
  return {
    async find(keyid, nowSeconds) {
      const found = await Promise.allSettled((await sources()).map((source) => source.find(keyid, nowSeconds)))
      const keys = found.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []))
      if (new Set(keys.map((key) => key.agentUrl)).size > 1) {
        throw new SignatureFault('signature_key_unknown', 'keyid is claimed by more than one agent')
      }
      const failure = found.find((result) => result.status === 'rejected')
      if (keys.length === 0 && failure) throw failure.reason
      return keys[0]
    },
  }
}
