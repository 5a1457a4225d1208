import type { AgentHealthState, AgentSource } from '../../domain/registry/agent-health.ts'
import type { RegistryEventRow } from '../directory/rows.ts'
/** An agent of the registry. Times are ISO 8601 UTC, lists JSON arrays. */
export interface RegistryAgentRow {
  agent_id: string
  /** Canonical. */
  agent_url: string
  /** As it was given: what is called. */
  call_url: string
  domain: string
  name: string | null
  types: string
  capabilities: string
  channels: string
  source: AgentSource
  /** Platform identity that registered it. */
  registered_by: string | null
  /** Whether searches show it: it has answered, and not failed for too long since. */
  listed: number
  health: AgentHealthState
  checked_at: string | null
  last_seen_at: string | null
  failing_since: string | null
  failures: number
  response_ms: number | null
  error: string | null
  /** What an own agent's entry was made from. */
  own_revision: string | null
  /** Null: never, for agents of this deployment. */
  next_check_at: string | null
  lease_owner: string | null
  lease_until: string | null
  added_at: string
}

/** What platform identities saved of a brand or a publisher that publishes no file of its own. */
export interface RegistryEntryRow {
  kind: 'brand' | 'property'
  domain: string
  entry_id: string
  document: string
  owner: string
  revision: number
  saved_at: string
}

export interface RegistryTables {
  registry_agents: RegistryAgentRow
  registry_facets: { facet: string; domain: string; agent_id: string }
  registry_entries: RegistryEntryRow
  registry_crawl_requests: { domain: string; crawl_request_id: string; requested_by: string; requested_at: string }
  registry_events: RegistryEventRow
  /** `directory`: present while changes of authorisations are recorded too. */
  registry_feed: { name: 'last' | 'dropped' | 'directory'; sequence: number }
}

/** An address that gets changes by webhook: those of the directory's feed, or those of a publisher. Times are ISO 8601 UTC. */
export interface FeedSubscriberRow {
  subscriber_id: string
  /** The publisher whose audit log it follows; null: it follows the feed of the directory. */
  tenant_id: string | null
  /** Without its query. */
  url: string
  /** Sealed: what follows the `?`. */
  query: string | null
  /** Comma-separated, as readers of the feed give them; null for all. */
  types: string | null
  /** Number of the last event, or entry of the log, that it has taken. */
  position: number
  /** Attempts in a row that failed. */
  failures: number
  /** When it may be sent to: the next try, or, while one runs, the end of its lease. */
  next_attempt_at: string
  last_status: number | null
  last_error: string | null
  added_at: string
}

export interface FeedSubscriberTables {
  feed_subscribers: FeedSubscriberRow
}
