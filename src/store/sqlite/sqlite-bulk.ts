import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { DEFAULT_MIGRATION_TABLE } from 'kysely'
import { AdcpError } from '../../protocol/errors.ts'
import { type Bulk, type BulkTable, batchesOf, type Row, type Value } from '../bulk.ts'
import { requirePrivateFile } from '../private-files.ts'
import { sqliteDriver } from './choose-sqlite-driver.ts'
import { type SqliteDatabase, sqliteFault } from './sqlite-driver.ts'

/** Long enough for the transactions of a running server to end. */
const BUSY_MS = 30_000

/**
 * Runs work on all tables of a file in one transaction, which keeps every writer out: a server that still runs on the file can
 * acknowledge nothing that the work would miss. What was written must refer to what exists.
 */
export async function withSqliteBulk<T>(path: string, work: (store: Bulk) => Promise<T>): Promise<T> {
  const database = sqliteDriver().open(path, { mode: 'existing', busyMs: BUSY_MS })
  try {
    database.exec('PRAGMA foreign_keys = OFF')
    database.exec('BEGIN IMMEDIATE')
    const result = await work(bulkOf(database))
    const [broken] = brokenReferences(database)
    if (broken !== undefined) throw new Error(broken)
    database.exec('COMMIT')
    return result
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK')
    database.close()
  }
}

function bulkOf(database: SqliteDatabase): Bulk {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const listed = ({ columns }: BulkTable) => columns.map(quoted).join(', ')
  return {
    async tables() {
      const names = database
        .prepare<{ name: string }>(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%' ORDER BY name",
        )
        .all([])
      return names.map(({ name }) => ({ name, columns: storedColumns(database, name) }))
    },
    rows(table) {
      const statement = database.prepare<Record<string, Value>>(`SELECT ${listed(table)} FROM ${quoted(table.name)}`)
      return batchesOf(inOrder(statement.iterate([]), table.columns))
    },
    async clear(table) {
      database.prepare(`DELETE FROM ${quoted(table.name)}`).run([])
    },
    async insert(table, rows) {
      const statement = database.prepare(
        `INSERT INTO ${quoted(table.name)} (${listed(table)}) VALUES (${table.columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) statement.run(row)
    },
  }
}

function* inOrder(rows: Iterable<Record<string, Value>>, columns: readonly string[]): Generator<Row> {
  for (const row of rows) yield columns.map((column) => row[column] ?? null)
}

/** `hidden` is 0 for columns that are stored and written (SQLite: PRAGMA table_xinfo). */
function storedColumns(database: SqliteDatabase, table: string): readonly string[] {
  const columns = database.prepare<{ name: string }>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all([table])
  return columns.map(({ name }) => name).sort()
}

/** What SQLite itself finds wrong with a file: damaged pages, rows that refer to nothing. Empty when it is sound. */
export function sqliteProblems(path: string): readonly string[] {
  const database = sqliteDriver().open(path, { mode: 'readonly', busyMs: BUSY_MS })
  try {
    const rows = database.prepare<{ integrity_check: string }>('PRAGMA integrity_check(5)').all([])
    const damaged = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    return [...damaged, ...brokenReferences(database)]
  } finally {
    database.close()
  }
}

/** Names of the migrations that a file has seen, none when it is of another program; or what keeps it from being read. Changes nothing. */
export function appliedMigrations(path: string): { readonly names: readonly string[] } | { readonly problem: string } {
  const database = sqliteDriver().open(path, { mode: 'readonly' })
  try {
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').all([DEFAULT_MIGRATION_TABLE])
    if (found.length === 0) return { names: [] }
    const rows = database.prepare<{ name: string }>(`SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`).all([])
    return { names: rows.map(({ name }) => name) }
  } catch (error) {
    if (error instanceof Error && sqliteFault(error)) return { problem: error.message }
    throw error
  } finally {
    database.close()
  }
}

function brokenReferences(database: SqliteDatabase): readonly string[] {
  const rows = database.prepare<{ table: string; parent: string }>('PRAGMA foreign_key_check').all([])
  const places = new Set(rows.map(({ table, parent }) => `${table} has rows that refer to nothing in ${parent}`))
  return [...places]
}

/**
 * Copies a file that may be in use, page by page (SQLite's online backup), checks the copy and puts it in its place at once.
 * Gives its size in bytes. Throws INVALID_REQUEST when the target exists already.
 */
export async function backupSqlite(path: string, target: string): Promise<number> {
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(target + suffix)) {
      throw new AdcpError('INVALID_REQUEST', `${target}${suffix} exists already; nothing was overwritten`, { field: 'to' })
    }
  }
  const draft = `${target}.draft`
  rmSync(draft, { force: true })
  requirePrivateFile(draft)
  const source = sqliteDriver().open(path, { mode: 'readonly', busyMs: BUSY_MS })
  try {
    await source.backup(draft)
    // One file without a journal beside it: what is moved is all of it.
    const copy = sqliteDriver().open(draft)
    copy.exec('PRAGMA journal_mode = DELETE')
    copy.close()
    const [problem] = sqliteProblems(draft)
    if (problem !== undefined) throw new AdcpError('CONFIGURATION_ERROR', `${path} is not sound: ${problem}`, { field: 'from' })
    renameSync(draft, target)
    return statSync(target).size
  } finally {
    source.close()
    rmSync(draft, { force: true })
  }
}
