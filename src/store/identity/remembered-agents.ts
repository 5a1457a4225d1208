import type { Identity } from '../../domain/identity/identity.ts'

import type { Store } from '../database.ts'
import { markedMemory } from '../marked-memory.ts'
import { findAgents, isAgentKeyRevoked } from './agent-key-sources.ts'

/** Agents that sign at the same time and are looked up once as long as nothing changes in the store. */
const KEPT_AGENTS = 2_000

/** What the store says of agents that sign, remembered under its mark like what it says of opaque keys. */
export interface RememberedAgents {
  readonly isRevoked: (keyid: string) => Promise<boolean>
  readonly find: (agentUrl: string) => Promise<readonly Identity[]>
}

/** Ask only for what a registered key leads to: anything that is asked for is kept for a while. */
export function rememberedAgents(store: Store): RememberedAgents {
  const revoked = markedMemory<boolean>(store, KEPT_AGENTS)
  const agents = markedMemory<readonly Identity[]>(store, KEPT_AGENTS)
  return {
    isRevoked: async (keyid) => (await revoked(keyid, () => isAgentKeyRevoked(store.read, keyid))) ?? false,
    find: async (agentUrl) => (await agents(agentUrl, () => findAgents(store.read, agentUrl))) ?? [],
  }
}
