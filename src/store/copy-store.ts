import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redactedDatabase } from '../config/database-url.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type Bulk, type CopyProgress, copyTables, firstFilled, sumsOf, type TableSum } from './bulk.ts'
import { pendingMigrations, refuseOtherSchema } from './database.ts'
import { storePath } from './open.ts'
import { withPostgresBulk } from './postgres/postgres-bulk.ts'
import { migrateSqlite, openSqlite } from './sqlite/sqlite.ts'
import { withSqliteBulk } from './sqlite/sqlite-bulk.ts'

/** A store by its kind: a file, or a database. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** Reads `sqlite:PATH` (a file or a data folder) or `postgres://…`. Throws INVALID_REQUEST for anything else. */
export function storeAddress(text: string, field: string): StoreAddress {
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return { kind: 'postgres', url: text }
  const path = /^sqlite:(.+)$/.exec(text)?.[1]
  // The text is not repeated: it may be a connection string with a slip in it.
  if (path === undefined) {
    throw new AdcpError('INVALID_REQUEST', `--${field}: a store is sqlite:PATH or postgres://user:password@host/name`, { field })
  }
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  return { kind: 'sqlite', path: isFolder ? storePath(path) : path }
}

/** The address in public words. */
export function addressName(address: StoreAddress): string {
  return address.kind === 'sqlite' ? address.path : redactedDatabase(address.url)
}

/**
 * Copies a whole store into an empty one, reads it back and compares counts and checksums of every table; the copy is made as a whole or
 * not at all. The source must have the schema of this program. A SQLite source takes no writes meanwhile.
 * Throws INVALID_REQUEST when there is no source, or anything in the target.
 */
export async function copyStore(
  from: StoreAddress,
  to: StoreAddress,
  onProgress: (progress: CopyProgress) => void = () => {},
): Promise<readonly TableSum[]> {
  await requireCurrent(from)
  const copy = (target: Bulk) => withBulk(from, 'read', (source) => copyTables(source, target, onProgress))
  if (to.kind === 'postgres') {
    const { migratePostgres } = await import('./postgres/postgres.ts')
    await migratePostgres(to.url)
    const initial = await initialSums()
    return withPostgresBulk(to.url, 'write', async (target) => {
      const filled = await firstFilled(target, initial)
      if (filled !== undefined) throw refuseFilled(to, `${filled} holds rows`)
      return copy(target)
    })
  }
  if (existsSync(to.path)) throw refuseFilled(to, 'the file exists')
  try {
    await migrateSqlite(to.path)
    return await withSqliteBulk(to.path, copy)
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(to.path + suffix, { force: true })
    throw error
  }
}

/** What an unused store holds. */
async function initialSums(): Promise<ReadonlyMap<string, TableSum>> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-copy-'))
  try {
    const path = storePath(folder)
    await migrateSqlite(path)
    return await withSqliteBulk(path, sumsOf)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function withBulk<T>(address: StoreAddress, mode: 'read' | 'write', work: (store: Bulk) => Promise<T>): Promise<T> {
  return address.kind === 'sqlite' ? withSqliteBulk(address.path, work) : withPostgresBulk(address.url, mode, work)
}

/** Throws when there is no store, or its schema is not that of this program. */
export async function requireCurrent(address: StoreAddress): Promise<void> {
  if (address.kind === 'sqlite' && !existsSync(address.path)) {
    throw new AdcpError('INVALID_REQUEST', `there is no store at ${address.path}`, { field: 'from' })
  }
  const store =
    address.kind === 'sqlite'
      ? await openSqlite(address.path, { migrate: false })
      : await (await import('./postgres/postgres.ts')).openPostgres(address.url, { connections: 2, migrate: false })
  try {
    await refuseOtherSchema(store.read)
    const pending = await pendingMigrations(store.read)
    if (pending.length > 0) {
      throw new AdcpError(
        'INVALID_REQUEST',
        `${addressName(address)} is older than this program (pending: ${pending.join(', ')}): run "sales-agent migrate" on it first`,
        { field: 'from' },
      )
    }
  } finally {
    await store.close()
  }
}

function refuseFilled(to: StoreAddress, why: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${addressName(to)} is not empty (${why}); nothing was changed`, { field: 'to' })
}
