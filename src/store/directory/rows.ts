import type { DiscoveryMethod, RouteMethod } from '../../domain/directory/claim.ts'
import type { Exclusion, FileContent, Origin, Served } from '../../domain/directory/crawled-publisher.ts'
import type { AttemptResult } from '../../domain/directory/freshness.ts'
import type { RowStatus } from '../../domain/directory/lookup-query.ts'

/** An agent that some indexed file has ever referenced. `version` grows with every change of the agent's rows. */
export interface DirectoryAgentRow {
  agent_id: string
  agent_url: string
  version: number
  changed_at: string
}

/** What one file claims for one agent and publisher. `own` comes from the publisher's own walk, `fanout` from a manager's file alone. */
export interface DirectoryClaimRow {
  agent_id: string
  publisher_domain: string
  route: 'own' | 'fanout'
  document_id: string
  /** The status, when this claim is the one that lookups show; empty otherwise. */
  shown: '' | RowStatus
  status: RowStatus
  /** When the revocation was first observed; null for an authorized claim. */
  observed_at: string | null
  discovery_method: DiscoveryMethod
  manager_domain: string | null
  properties_authorized: number
  properties_total: number
  signing_keys_pinned: number
  /** When the file was last verified; stored with each claim, because lookups read far more often than files are refreshed. */
  verified_at: string
  /** JSON array. */
  property_ids: string
  /** Since when the publisher has authorised the agent, by whichever file; null where that was not recorded. */
  granted_at: string | null
}

/** The columns that a claim is made of; the table also holds the text of its entry, which only pages read. */
export const CLAIM_COLUMNS = [
  'agent_id',
  'publisher_domain',
  'route',
  'document_id',
  'shown',
  'status',
  'observed_at',
  'discovery_method',
  'manager_domain',
  'properties_authorized',
  'properties_total',
  'signing_keys_pinned',
  'verified_at',
  'property_ids',
  'granted_at',
] as const satisfies (keyof DirectoryClaimRow)[]

/** A claim without the ids of its properties, which may be any number. */
export type ClaimHead = Omit<DirectoryClaimRow, 'property_ids'>
export const HEAD_COLUMNS = CLAIM_COLUMNS.filter((column) => column !== 'property_ids')

/** A file by its URL, however many publishers lead to it. Times are ISO 8601 UTC. */
export interface DirectoryDocumentRow {
  document_id: string
  url: string
  host: string
  /** Whether its claims for other publishers count: a file opened only because of an ads.txt line does not fan out. */
  fans_out: number
  /** Completed refreshes. */
  refresh: number
  verified_at: string | null
  /** Null before the first attempt, and while somebody waits for the next one: the copy held is then too old for everyone. */
  attempted_at: string | null
  failing_since: string | null
  expires_at: string | null
  /** The next refresh must derive claims even when the file is unchanged (tombstones, holds, effective windows). */
  rederive: number
  /** When the claims change by themselves. */
  soonest_at: string | null
  /** What the copy that counts is; null when none does, and for an ads.txt. */
  content: FileContent | null
  /** 1: it names its agents in the short form `agents[]`, which the official schema does not have. */
  short_form: number
  /** Of its text (SHA-256), to tell whether the next one says something else. */
  digest: string | null
  /** `last_updated` of the file held, against rollbacks. */
  last_updated: string | null
  etag: string | null
  last_modified: string | null
  lease_owner: string | null
  lease_until: string | null
}

/**
 * A part of the text of a file that several publishers share (a manager's, a pointer's target), or the manager that an ads.txt names.
 * A publisher's own file is not stored: when it is needed again it is fetched again.
 */
export interface DirectoryTextRow {
  document_id: string
  /** From 0. */
  part: number
  body: string
}

export interface DirectoryHoldRow {
  document_id: string
  publisher_domain: string
  listed: number
  first_observed_at: string
  earliest_revoked_at: string
}

/** A domain that the directory crawls, and where its own discovery walk ends. */
export interface DirectoryPublisherRow {
  publisher_domain: string
  origin: Origin
  serves: Served
  self_blocked_until: string | null
  route_method: RouteMethod | null
  route_manager: string | null
  route_document_id: string | null
  pointer_adopted: string | null
  pointer_pending: string | null
  pointer_pending_since: string | null
  failures: number
  next_attempt_at: string
  /** 1 for a name that only a selector mentions: it waits behind all names with 0. */
  priority: number
  /** The file that put a name with priority 1 on the list. */
  named_by: string | null
  /** Since when every visit has given nothing; null after a success. */
  barren_since: string | null
  lease_owner: string | null
  lease_until: string | null
  added_at: string
}

/** A name that is not on the crawl list, and why. */
export interface DirectoryExclusionRow {
  publisher_domain: string
  kind: Exclusion
  reason: string
  excluded_at: string
}

/** An identifier of a property, as a file declares it; `publisher_domain` is empty where the file leaves it to its place. */
export interface DirectoryIdentifierRow {
  identifier_type: string
  identifier_value: string
  document_id: string
  publisher_domain: string
  property_id: string
}

export interface DirectoryAttemptRow {
  publisher_domain: string
  attempted_at: string
  result: AttemptResult
  reason: string | null
  duration_ms: number
}

export interface DirectoryTables {
  directory_agents: DirectoryAgentRow
  directory_claims: DirectoryClaimRow
  directory_documents: DirectoryDocumentRow
  directory_texts: DirectoryTextRow
  directory_holds: DirectoryHoldRow
  directory_publishers: DirectoryPublisherRow
  directory_attempts: DirectoryAttemptRow
  directory_identifiers: DirectoryIdentifierRow
  directory_exclusions: DirectoryExclusionRow
}

/** A directory whose snapshot was imported. */
export interface DirectoryMirrorRow {
  /** Base address of the directory, which names it. */
  source: string
  /** The import that counts; null before the first has ended. */
  generation: string | null
  /** The import that is under way, or was broken off. */
  pending: string | null
  imported_at: string | null
  /** `X-Sync-Cursor` of the snapshot, where it was given. */
  sync_cursor: string | null
  row_count: number
}

/** What a directory says of one agent and publisher. */
export interface DirectoryMirrorClaimRow {
  agent_url: string
  publisher_domain: string
  generation: string
  /** JSON, in the form of the snapshot. */
  claim: string
}

export interface DirectoryMirrorTables {
  directory_mirrors: DirectoryMirrorRow
  directory_mirror_rows: DirectoryMirrorClaimRow
}

export interface RegistryEventRow {
  sequence: number
  event_type: string
  entity_type: string
  entity_id: string
  payload: string
  actor: string
  created_at: string
}
