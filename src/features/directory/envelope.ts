import type { FileForm } from '../../domain/directory/file-form.ts'
import type { RowStatus } from '../../domain/directory/lookup-query.ts'

/** One publisher of an answer (AdCP publisher directory page). */
export interface PublisherEntry {
  readonly publisher_domain: string
  readonly discovery_method: string
  readonly manager_domain: string | null
  readonly properties_authorized: number
  readonly properties_total: number
  readonly property_ids?: readonly string[]
  /** Where `include` asked for it. */
  readonly file_form?: FileForm
  readonly signing_keys_pinned: boolean
  readonly status: RowStatus
  readonly last_verified_at: string
}

/** The answer of a lookup (AdCP publisher directory page). */
export interface DirectoryEnvelope {
  readonly agent_url: string
  readonly directory_indexed_at: string | null
  readonly publishers: readonly PublisherEntry[]
  readonly next_cursor: string | null
}
