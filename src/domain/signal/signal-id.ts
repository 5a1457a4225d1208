import { agentKey } from '../directory/agent-url.ts'
import type { Signal } from './signal.ts'

/** How everybody names a signal (AdCP core/signal-id.json). */
export type SignalId =
  | { source: 'catalog'; data_provider_domain: string; id: string }
  | { source: 'agent'; agent_url: string; id: string }

/** The official id: by the provider's catalog, which a buyer can verify, or native to this agent (AdCP core/signal-id). */
export function signalIdOf({ document, providerDomain, segmentId }: Signal, agentUrl: string): SignalId {
  const id = document.signal_id ?? segmentId
  return providerDomain === undefined
    ? { source: 'agent', agent_url: agentUrl, id }
    : { source: 'catalog', data_provider_domain: providerDomain, id }
}

/** A form of a signal id in which two ids of the same signal are equal. */
export function signalIdKey(id: SignalId): string {
  return id.source === 'catalog'
    ? JSON.stringify(['catalog', id.data_provider_domain.toLowerCase(), id.id])
    : JSON.stringify(['agent', agentKey(id.agent_url) ?? id.agent_url, id.id])
}
