import type { Counters } from '../../platform/net/rate-limit.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Validate } from '../../protocol/schemas.ts'
import type { Db, Store } from '../../store/database.ts'
import type { BrandResolver } from '../brands/resolve-brand.ts'

/** What the registry works with. */
export interface RegistryDeps {
  readonly store: Store
  /** The way out to agents and publishers. */
  readonly fetch: SafeFetch
  readonly brands: BrandResolver
  /** The official schema of adagents.json. */
  readonly checkAdagents: Validate
  /** Whether a tool of an agent is an AdCP task. */
  readonly isTask: (tool: string) => boolean
  readonly clock: () => Date
  /** In [0, 1). */
  readonly random: () => number
  /** Names this process in leases. */
  readonly worker: string
  readonly counters: Counters | undefined
}

/** Who writes: a key's principal or a person. */
export interface PlatformIdentity {
  /** Names the identity in what it owns: `tenant/principal`. */
  readonly id: string
  readonly tenant: string
  readonly principal: string
  /** Identifier of the credential, never the secret. */
  readonly credential: string
}

/** Writes a change down in the audit log, in its own transaction. `subject` is the id of what was changed. */
export type NoteChange = (tx: Db, subject: string) => Promise<void>
