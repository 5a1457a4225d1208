import type { Kysely, Migration } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator, sql } from 'kysely'
import type { ChangeOrigin } from '../domain/account/account-change.ts'
import { AdcpError } from '../protocol/errors.ts'
import { migrations } from './migrations/index.ts'
import { SQUASHED } from './migrations/squashed.ts'
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
   * Identifies the committed data that `read` sees at this moment, for far less than a query: while two versions are equal, what was read
   * under the first is still valid. On SQLite every commit changes it at once; on PostgreSQL a commit of another process may change it up to
   * `VERSION_MS` later.
   */
  dataVersion(): string | number
  /**
   * Runs `work` atomically: its writes commit together when it resolves, none when it rejects. `work` must not await the
   * network: on SQLite several transactions share one commit. Resolves once the commit is durable. `work` runs
   * again when it lost against another transaction (PostgreSQL) or shared a commit with one that failed (SQLite), so it must have no
   * effect but through `tx` and its result.
   * Throws SERVICE_UNAVAILABLE when the database is unreachable, CommitUnknown when it went away during the commit.
   */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Answers when the store can serve; rejects otherwise. */
  ping(): Promise<void>
  /** Why the store takes no writes at the moment, in words for operators; undefined when it took one just now. Never rejects. */
  writeFault(): Promise<string | undefined>
  /** Looks for damaged pages, beside everything else that the process does. Rejects when the store does not answer. */
  findDamage(): Promise<Damage>
  /** How the connections of this process are used at the moment; none on SQLite. */
  pools(): readonly PoolUse[]
  close(): Promise<void>
}

/** Damaged pages of a store, each with where it is, and what the look at them can see. */
export interface Damage {
  readonly found: readonly string[]
  readonly covers: string
}

/** Connections of one kind: `calls` for what calls read and write, `counters` for limits. */
export interface PoolUse {
  readonly pool: 'calls' | 'counters'
  readonly busy: number
  readonly idle: number
  /** Calls that wait for one. */
  readonly waiting: number
  /** As many as there may be. */
  readonly limit: number
}

export interface TransactionOptions {
  /**
   * How far transactions of several processes are separated on PostgreSQL; SQLite runs one at a time whatever is asked.
   * `serializable` (default): as if one ran after the other. `read-committed`: for work that takes the lock of one row first.
   * `statement`: no transaction, each statement commits by itself; for work whose every statement decides alone.
   */
  readonly isolation?: 'serializable' | 'read-committed' | 'statement'
  /**
   * `lazy`: a crash of the machine (on PostgreSQL: of the database) may lose what was committed in the moments before it, unless
   * something durable was committed since. A crash of the process loses nothing. Default: what is committed stays.
   */
  readonly durability?: 'lazy'
  /** Who brings about what is changed, for the list of an account's changes; default: the server itself. */
  readonly origin?: ChangeOrigin
}

/** The connection was lost while a transaction committed: whether it was, the same call with the same key shows. */
export class CommitUnknown extends AdcpError {
  constructor(cause: AdcpError) {
    const { retryAfter, http } = cause
    super('SERVICE_UNAVAILABLE', 'the store went away at the end of the call; try again with the same idempotency key', {
      ...(retryAfter !== undefined && { retryAfter }),
      ...(http && { http }),
      cause,
    })
  }
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

/** Names of applied migrations that this program does not know: another version of it made them. */
export async function unknownMigrations(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !(name in migrations))
}

/**
 * Throws CONFIGURATION_ERROR when another version of the program made the schema and this one would misread it: a newer one, or one from before
 * the migrations were squashed.
 */
export async function refuseOtherSchema(db: Db): Promise<void> {
  const unknown = await unknownMigrations(db)
  if (unknown.length === 0) return
  throw new AdcpError(
    'CONFIGURATION_ERROR',
    unknown.some((name) => SQUASHED.includes(name))
      ? 'the store was made by an earlier version of this program: carry it over with "sales-agent store migrate --from <old data folder or database> --data <new folder>"'
      : `the store was made by a newer version of this program (${unknown.join(', ')}): start that version, or restore a backup`,
  )
}

function migrator(db: Db): Migrator {
  // Areas of the program number their migrations by themselves; those of one release may arrive in any order.
  const provider = { getMigrations: async (): Promise<Record<string, Migration>> => migrations }
  return new Migrator({ db, provider, allowUnorderedMigrations: true })
}
