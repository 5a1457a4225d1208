import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { redactedDatabase } from '../config/database-url.ts'
import { AdcpError } from '../protocol/errors.ts'
import { pendingMigrations } from './database.ts'
import { migrations } from './migrations/index.ts'
import type { PostgresStore } from './postgres/postgres.ts'
import { requireDataFolder } from './private-files.ts'
import { migrateSqlite, openSqlite, type SqliteStore } from './sqlite/sqlite.ts'
import { sqliteOpenFault } from './sqlite/sqlite-write-fault.ts'

/** Where a deployment keeps what it knows. */
export type StorePlace = Pick<Config, 'data' | 'database' | 'databaseConnections'>

export interface OpenOptions {
  /** Make a store where there is none (default). */
  readonly create?: boolean
  /** Bring its schema up to date (default). */
  readonly migrate?: boolean
  /** Milliseconds that a transaction on a file waits for those of other processes; default: what a caller of a server waits. */
  readonly patienceMs?: number
}

/** Path of the embedded store inside a data folder. */
export function storePath(data: string): string {
  return join(data, 'sales-agent.sqlite')
}

/** The place in public words. */
export function storeName({ data, database }: StorePlace): string {
  return database === undefined ? data : redactedDatabase(database)
}

/**
 * Opens the store of a configuration: PostgreSQL when it names one, else the file in the data folder. Throws INVALID_REQUEST when there
 * is none and none is to be made, CONFIGURATION_ERROR when a newer version of the program made it.
 */
export async function openStore(place: StorePlace, options: OpenOptions = {}): Promise<SqliteStore | PostgresStore> {
  const { create = true, migrate = true, patienceMs } = options
  const { data, database, databaseConnections } = place
  if (!create && !(await storeExists(place))) {
    throw new AdcpError('INVALID_REQUEST', `no store in ${storeName(place)}: run "sales-agent init" for it first`, {
      field: 'data',
    })
  }
  // Documents that an operator keeps lie there on either engine, e.g. the deployment's secret.
  await explained(data, () => requireDataFolder(data))
  if (database === undefined)
    return await explained(data, () => openSqlite(storePath(data), { migrate, ...(patienceMs !== undefined && { patienceMs }) }))
  // Loaded where it is used: its driver is memory that a server on a file does not need.
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(database, { connections: databaseConnections, migrate })
}

/** Brings the schema of a store (made when there is none) up to date. Gives the names of the migrations that this process applied. */
export async function migrateStore({ data, database }: StorePlace): Promise<string[]> {
  if (database !== undefined) {
    const { migratePostgres } = await import('./postgres/postgres.ts')
    return migratePostgres(database)
  }
  return await explained(data, () => {
    requireDataFolder(data)
    return migrateSqlite(storePath(data))
  })
}

/** Does what needs the files of a data folder. Throws CONFIGURATION_ERROR in place of what the system or SQLite says. */
async function explained<T>(data: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const fault = cause instanceof AdcpError ? undefined : await sqliteOpenFault(cause, storePath(data))
    if (fault === undefined) throw cause
    const advice = 'the folder has to be one that this program can write to, with free space; another is named with --data'
    throw new AdcpError('CONFIGURATION_ERROR', `the store in ${data} cannot be opened: ${fault}; ${advice}`, {
      field: 'data',
      cause,
    })
  }
}

/** Whether a store is there: its file, or tables of this program in the database. */
export async function storeExists({ data, database }: StorePlace): Promise<boolean> {
  if (database === undefined) return existsSync(storePath(data))
  const { openPostgres } = await import('./postgres/postgres.ts')
  const store = await openPostgres(database, { connections: 1, migrate: false })
  try {
    return (await pendingMigrations(store.read)).length < Object.keys(migrations).length
  } finally {
    await store.close()
  }
}
