import type { Db, Store } from '../database.ts'
import { migrate, pendingMigrations, refuseOtherSchema } from '../database.ts'
import { kyselyOver } from '../kysely-over.ts'
import { requirePrivateFile } from '../private-files.ts'
import { sqliteDriver } from './choose-sqlite-driver.ts'
import { SharedCommits } from './shared-commits.ts'
import { SqliteCheckpoints } from './sqlite-checkpoints.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { DAMAGE_COVERS, sqliteDamageAside } from './sqlite-damage.ts'
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from './sqlite-driver.ts'
import { freeBytesOf, sqliteWriteFault } from './sqlite-write-fault.ts'

/** The embedded store. */
export interface SqliteStore extends Store {
  readonly engine: 'sqlite'
}

export interface SqliteStoreOptions {
  /** Bring the schema up to date (default). */
  readonly migrate?: boolean
  /** Default: the one that this process uses. */
  readonly driver?: SqliteDriver
  /** Milliseconds that a transaction waits for those of other processes; default: {@link BUSY_MS}. */
  readonly patienceMs?: number
  /** Free bytes where the file is; default: as the file system says. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

/**
 * Opens (and creates) a SQLite file: WAL, `synchronous=FULL`, foreign keys on. One connection writes, another reads
 * committed state, so that readers never wait for a writer.
 * `path` may be `:memory:` only in tests of single statements; a file is needed for two connections.
 */
export async function openSqlite(path: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
  const { driver = sqliteDriver(), patienceMs = BUSY_MS } = options
  const writeConnection = connect(driver, path)
  const over = kyselyOver('sqlite')
  const writing = new SqliteConnection(writeConnection)
  const writer = over(writing)
  try {
    if (options.migrate !== false) await migrateAlone(writeConnection, writer)
  } catch (error) {
    writeConnection.close()
    throw error
  }
  const readConnection = connect(driver, path)
  readConnection.exec('PRAGMA query_only = ON')
  const read = over(new SqliteConnection(readConnection))
  const version = new DataVersion(readConnection)
  // From here on the event loop waits for another process, not the process.
  writeConnection.exec('PRAGMA busy_timeout = 0')
  writeConnection.exec(`PRAGMA wal_autocheckpoint = ${path === ':memory:' ? OWN_CHECKPOINT : LAST_RESORT}`)
  const checkpoints = new SqliteCheckpoints(path, driver.name, () =>
    writeConnection.exec(`PRAGMA wal_autocheckpoint = ${OWN_CHECKPOINT}`),
  )
  const committed = () => {
    version.expire()
    checkpoints.committed()
  }
  const commits = new SharedCommits(writeConnection, { patienceMs, committed, pause: () => checkpoints.pause })
  const writers = { seller_system: writer, adcp: over(writing, 'adcp'), seller_operator: over(writing, 'seller_operator') }
  const transaction: Store['transaction'] = (work, { durability, origin = 'seller_system' } = {}) =>
    commits.add(writers[origin], work, durability === 'lazy')
  return {
    engine: 'sqlite',
    read,
    dataVersion: () => version.current(),
    transaction,
    writeFault: () => sqliteWriteFault({ transaction }, path, options.freeBytes ?? freeBytesOf),
    async ping() {
      readConnection.prepare('SELECT 1').all([])
    },
    findDamage: async () => ({ found: await sqliteDamageAside(path, driver), covers: DAMAGE_COVERS }),
    pools: () => [],
    async close() {
      await commits.idle()
      await checkpoints.close()
      readConnection.close()
      writeConnection.close()
    },
  }
}

/** Brings the schema of a file (made when there is none) up to date. Gives the names of the migrations applied now. */
export async function migrateSqlite(path: string): Promise<string[]> {
  const connection = connect(sqliteDriver(), path)
  try {
    return await migrateAlone(connection, kyselyOver('sqlite')(new SqliteConnection(connection)))
  } finally {
    connection.close()
  }
}

/** Runs work on a file in one transaction, whatever the version of its schema. */
export async function changeSqlite<T>(path: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = connect(sqliteDriver(), path)
  try {
    return await inTransaction(connection, () => work(kyselyOver('sqlite')(new SqliteConnection(connection))))
  } finally {
    connection.close()
  }
}

/**
 * Migrates in one transaction that keeps other processes out. The migrator of Kysely takes no lock on SQLite, and two programs that
 * start at once would both create the tables.
 */
async function migrateAlone(connection: SqliteDatabase, writer: Db): Promise<string[]> {
  await refuseOtherSchema(writer)
  if ((await pendingMigrations(writer)).length === 0) return []
  return inTransaction(connection, () => migrate(writer))
}

/** One transaction, for which a connection waits longer than usual. */
async function inTransaction<T>(connection: SqliteDatabase, work: () => Promise<T>): Promise<T> {
  connection.exec(`PRAGMA busy_timeout = ${MIGRATION_WAIT_MS}`)
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = await work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  }
}

/** How long a statement waits for another process, and a start for a migration by another one. */
const BUSY_MS = 5_000
const MIGRATION_WAIT_MS = 60_000

/** Pages of the log after which a commit copies them itself, as SQLite does by default, and where a thread does it: a gigabyte, which it leaves only when it cannot run. */
const [OWN_CHECKPOINT, LAST_RESORT] = [1_000, 262_144]

/** All that the drivers set differently by themselves, or might. The page cache is in KiB (SQLite: a negative number). */
const SETTINGS = ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', 'cache_size = -16000']

function connect(driver: SqliteDriver, path: string): SqliteDatabase {
  if (path !== ':memory:') requirePrivateFile(path)
  const connection = driver.open(path, { busyMs: BUSY_MS })
  try {
    for (const setting of SETTINGS) connection.exec(`PRAGMA ${setting}`)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Version of the data that a connection sees which writes nothing itself: SQLite counts the commits of all others (PRAGMA data_version). */
class DataVersion {
  readonly #version: SqliteStatement<{ data_version: number }>
  #current: number | undefined

  constructor(connection: SqliteDatabase) {
    this.#version = connection.prepare('PRAGMA data_version')
  }

  /** Read once a turn of the event loop: a read takes the file's lock, and calls that arrive together may see the same data. */
  current(): number {
    if (this.#current !== undefined) return this.#current
    setImmediate(() => this.expire())
    this.#current = this.#version.all([])[0]?.data_version ?? 0
    return this.#current
  }

  /** Makes the next call of `current` read again. */
  expire(): void {
    this.#current = undefined
  }
}
