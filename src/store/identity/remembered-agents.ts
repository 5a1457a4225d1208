import type { Identity } from '../../domain/identity/identity.ts'
import type { Store } from '../database.ts'
import { versionedCache } from '../versioned-cache.ts'
import { findAgents, isAgentKeyRevoked } from './agent-key-sources.ts'

/** Agents that sign requests at the same time; each is read once while the data version stays the same. */
const MAX_AGENTS = 2_000

/** What the store says of agents that sign, cached by data version like opaque keys. */
export interface RememberedAgents {
  readonly isRevoked: (keyid: string) => Promise<boolean>
  readonly find: (agentUrl: string) => Promise<readonly Identity[]>
}

/** Ask only for what a registered key leads to: every answer takes a place in the cache. */
export function rememberedAgents(store: Store): RememberedAgents {
  const revoked = versionedCache<boolean>(store, MAX_AGENTS)
  const agents = versionedCache<readonly Identity[]>(store, MAX_AGENTS)
  return {
    isRevoked: async (keyid) => (await revoked(keyid, () => isAgentKeyRevoked(store.read, keyid))) ?? false,
    find: async (agentUrl) => (await agents(agentUrl, () => findAgents(store.read, agentUrl))) ?? [],
  }
}
