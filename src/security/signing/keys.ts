import type { KeyObject } from 'node:crypto'
import { SignatureFault } from './challenge.ts'
import { type PublishedJwk, publicKeyOf } from './jwk.ts'

/** A key and the one agent it speaks for. */
export interface ResolvedKey {
  readonly jwk: PublishedJwk
  readonly agentUrl: string
  /** Imported on first use: step 8 has to examine the JWK before its numbers are trusted to make a key. */
  publicKey(): KeyObject
}

/** Finds the key of a `keyid`, or undefined. Throws `SignatureFault` when that cannot be decided now. */
export interface KeySource {
  find(keyid: string, nowSeconds: number): Promise<ResolvedKey | undefined>
  /** The same from memory alone, without waiting for anything. */
  cached?(keyid: string, nowSeconds: number): ResolvedKey | undefined
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
  return { find: async (keyid) => byKid.get(keyid), cached: (keyid) => byKid.get(keyid) }
}

/**
 * The keys of several agents. A `keyid` has to lead to one agent: when two claim it, the signature is refused. What is in memory answers
 * at once, so that a slow key server delays no other agent; a key server that fails counts only when no other agent has the key.
 */
export function keysOfAgents(sources: readonly KeySource[]): Required<KeySource> {
  const cached = (keyid: string, nowSeconds: number) => onlyOne(sources.map((source) => source.cached?.(keyid, nowSeconds)))
  return {
    cached,
    async find(keyid, nowSeconds) {
      const known = cached(keyid, nowSeconds)
      if (known) return known
      const results = await Promise.allSettled(sources.map((source) => source.find(keyid, nowSeconds)))
      const found = onlyOne(results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)))
      const failure = results.find((result) => result.status === 'rejected')
      if (!found && failure) throw failure.reason
      return found
    },
  }
}

function onlyOne(found: readonly (ResolvedKey | undefined)[]): ResolvedKey | undefined {
  const keys = found.filter((key) => key !== undefined)
  if (new Set(keys.map((key) => key.agentUrl)).size > 1) {
    throw new SignatureFault('signature_key_unknown', 'keyid is claimed by more than one agent')
  }
  return keys[0]
}
