import type { Kysely, Migration } from 'kysely'
import { Migrator } from 'kysely'
import { migrations } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** A handle for queries: the pool of committed state, or the open transaction. */
export type Db = Kysely<Tables>

/**
 * The store as the composition root sees it. Handlers only ever receive a `Db`.
 * Portable subset on both engines: TEXT ids, ISO-8601 UTC text timestamps, integer micros, JSON as TEXT.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  /** Reads of committed state. */
  readonly read: Db
  /**
   * Runs `work` atomically: its writes commit together when it resolves, none when it rejects. `work` must not await the
   * network: on SQLite several transactions share one commit. Resolves once the commit is durable.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Answers when the store can serve; rejects otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Brings the schema to the newest version. Returns the names applied now; throws when a migration fails. */
export async function migrate(db: Db): Promise<string[]> {
  const { error, results } = await migrator(db).migrateToLatest()
  if (error) throw error
  return (results ?? []).filter((r) => r.status === 'Success').map((r) => r.migrationName)
}

/** Names of migrations that are known and not yet applied. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  return (await migrator(db).getMigrations()).filter((m) => m.executedAt === undefined).map((m) => m.name)
}

function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: async (): Promise<Record<string, Migration>> => migrations } })
}
