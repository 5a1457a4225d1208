import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_MIGRATION_TABLE, sql } from 'kysely'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from './database.ts'
import { INITIAL, SQUASHED } from './migrations/squashed.ts'
import { storePath } from './open.ts'
import { requireDataFolder, requirePrivateFile } from './private-files.ts'
import { changeSqlite, migrateSqlite } from './sqlite/sqlite.ts'
import { appliedMigrations, backupSqlite } from './sqlite/sqlite-bulk.ts'

/**
 * Carries the data folder of an earlier version, or a backup that it made, over into a new folder: its store with everything in it, and the
 * files beside it. The source is not changed. Gives the names of the migrations that ran on the copy. Throws INVALID_REQUEST when there is no such store, or something
 * in the new folder.
 */
export async function carryOverFolder(from: string, to: string): Promise<string[]> {
  const isFile = existsSync(from) && statSync(from).isFile()
  const source = isFile ? from : storePath(from)
  if (!existsSync(source)) throw new AdcpError('INVALID_REQUEST', `--from: there is no store in ${from}`, { field: 'from' })
  const applied = appliedMigrations(source)
  if ('problem' in applied) throw new AdcpError('INVALID_REQUEST', `--from: ${source} cannot be read: ${applied.problem}`)
  requireSquashed(applied.names, source)
  requireDataFolder(to)
  const [present] = readdirSync(to)
  if (present !== undefined) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `${to} is not empty (${present}); nothing was changed. Name a new folder with --data`,
      {
        field: 'data',
      },
    )
  }
  const target = storePath(to)
  try {
    await backupSqlite(source, target)
    await changeSqlite(target, recordInitial)
    const names = await migrateSqlite(target)
    for (const name of isFile ? [] : filesBeside(from)) {
      copyFileSync(join(from, name), join(to, name))
      requirePrivateFile(join(to, name))
    }
    return names
  } catch (error) {
    for (const name of readdirSync(to)) rmSync(join(to, name), { force: true })
    throw error
  }
}

/** Carries a PostgreSQL database of an earlier version over, in place: its tables are those of {@link INITIAL}. Gives the names of the migrations that ran. */
export async function carryOverPostgres(url: string): Promise<string[]> {
  const { changePostgres, migratePostgres } = await import('./postgres/postgres.ts')
  await changePostgres(url, (db) =>
    db.transaction().execute(async (tx) => {
      requireSquashed(await appliedIn(tx), 'the database')
      await recordInitial(tx)
    }),
  )
  return migratePostgres(url)
}

/** Names of the migrations that a database has seen; none when it is of another program. */
async function appliedIn(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db)
  return rows.map(({ name }) => name)
}

/** Records that the schema is that of {@link INITIAL}, in place of the migrations that led to it. */
async function recordInitial(tx: Db): Promise<void> {
  const applied = sql.table(DEFAULT_MIGRATION_TABLE)
  await sql`delete from ${applied} where name in (${sql.join(SQUASHED)})`.execute(tx)
  await sql`insert into ${applied} (name, timestamp) values (${INITIAL}, ${new Date().toISOString()})`.execute(tx)
}

/** Throws INVALID_REQUEST for a store that no earlier version made, and for one older than the last schema before the squash. */
function requireSquashed(names: readonly string[], place: string): void {
  if (names.includes(INITIAL)) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `--from: ${place} was made by this version or a later one: "sales-agent migrate" is enough`,
    )
  }
  const missing = SQUASHED.filter((name) => !names.includes(name))
  if (missing.length === 0) return
  throw new AdcpError(
    'INVALID_REQUEST',
    missing.length === SQUASHED.length
      ? `--from: ${place} holds no store of this program`
      : `--from: ${place} is older than what can be carried over (missing: ${missing.join(', ')})`,
    { field: 'from' },
  )
}

/** Files of a data folder beside the store, such as `deployment.secret`. */
function filesBeside(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('sales-agent.sqlite') && statSync(join(folder, name)).isFile())
}
