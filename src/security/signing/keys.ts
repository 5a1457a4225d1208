import type { KeyObject } from 'node:crypto'
import { SignatureFault } from './challenge.ts'
import { type PublishedJwk, publicKeyOf } from './jwk.ts'

/** A key and the one agent it speaks for. */
export interface ResolvedKey {
  readonly jwk: PublishedJwk
  readonly agentUrl: string
  /** Publishers for which it speaks for the agent; absent: for all. */
  readonly tenantIds?: readonly string[]
  /** The publisher's people registered the key itself, and not an address at which the agent may publish any. */
  readonly pinned?: true
  /** Imported on first use: step 8 has to examine the JWK before its numbers are trusted to make a key. */
  publicKey(): KeyObject
}

/** Finds the key of a `keyid`, or undefined. Throws `SignatureFault` when that cannot be decided now. */
export interface KeySource {
  find(keyid: string, nowSeconds: number): Promise<ResolvedKey | undefined>
  /** The same from memory alone, without waiting for anything. */
  cached?(keyid: string, nowSeconds: number): ResolvedKey | undefined
  /** The keys of several agents under one `keyid`, which anybody may choose: who signed is whose key verifies. `known`: from memory alone. */
  candidates?(keyid: string, nowSeconds: number, known: boolean): Promise<readonly ResolvedKey[]>
}

/** The keys of a source, which count for some publishers only. */
export function keysFor(tenantIds: readonly string[], source: KeySource): KeySource {
  const bound = (key: ResolvedKey | undefined): ResolvedKey | undefined => key && { ...key, tenantIds }
  return {
    find: async (keyid, nowSeconds) => bound(await source.find(keyid, nowSeconds)),
    cached: (keyid, nowSeconds) => bound(source.cached?.(keyid, nowSeconds)),
  }
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
  const byKid = new Map(jwks.map((jwk) => [jwk.kid, { ...resolvedKey(jwk, agentUrl), pinned: true as const }]))
  return { find: async (keyid) => byKid.get(keyid), cached: (keyid) => byKid.get(keyid) }
}

/**
 * The keys of several agents. A `keyid` has to lead to one agent: when two claim it, the signature is refused. What is in memory answers
 * at once, so that a slow key server delays no other agent; a key server that fails counts only when no other agent has the key.
 */
export function keysOfAgents(sources: readonly KeySource[]): Required<KeySource> {
  const inMemory = (keyid: string, nowSeconds: number) => sources.flatMap((source) => source.cached?.(keyid, nowSeconds) ?? [])
  async function candidates(keyid: string, nowSeconds: number, known: boolean): Promise<readonly ResolvedKey[]> {
    const asked = sources.map(async (source): Promise<readonly ResolvedKey[]> => {
      if (source.candidates) return source.candidates(keyid, nowSeconds, known)
      const key = known ? source.cached?.(keyid, nowSeconds) : await source.find(keyid, nowSeconds)
      return key ? [key] : []
    })
    const results = await Promise.allSettled(asked)
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failure = results.find((result) => result.status === 'rejected')
    if (found.length === 0 && failure) throw failure.reason
    return found
  }
  return {
    candidates,
    cached: (keyid, nowSeconds) => oneAgent(inMemory(keyid, nowSeconds)),
    async find(keyid, nowSeconds) {
      return oneAgent(inMemory(keyid, nowSeconds)) ?? oneAgent(await candidates(keyid, nowSeconds, false))
    },
  }
}

/** Whether a key counts for a publisher; undefined: for any. */
export function countsAt({ tenantIds }: ResolvedKey, publisher: string | undefined): boolean {
  return publisher === undefined || tenantIds === undefined || tenantIds.includes(publisher)
}

/**
 * The key that a signature is of, of all that verify it: public keys can be copied, and a copy says nothing of who signed. Those of the publisher that is addressed come before those of others, and there those that
 * its people registered before those that agents publish. Throws `SignatureFault` when several agents remain.
 */
export function signerAmong(keys: readonly ResolvedKey[], publisher: string | undefined): ResolvedKey | undefined {
  if (new Set(keys.map(({ agentUrl }) => agentUrl)).size < 2) return oneAgent(keys)
  const here = publisher === undefined ? [] : keys.filter((key) => countsAt(key, publisher))
  const pinned = here.filter((key) => key.pinned)
  return oneAgent([pinned, here, keys].find(({ length }) => length > 0) ?? [])
}

/** The key of several that are all of one agent, for the publishers of all of them. Throws `SignatureFault` for keys of several agents. */
export function oneAgent(keys: readonly ResolvedKey[]): ResolvedKey | undefined {
  if (new Set(keys.map((key) => key.agentUrl)).size > 1) {
    throw new SignatureFault('signature_key_unknown', 'keyid is claimed by more than one agent')
  }
  const [key] = keys
  if (!key || keys.length === 1) return key
  const isForAll = keys.some(({ tenantIds }) => tenantIds === undefined)
  const { tenantIds: _own, ...shared } = key
  return isForAll ? shared : { ...shared, tenantIds: [...new Set(keys.flatMap(({ tenantIds = [] }) => tenantIds))] }
}
