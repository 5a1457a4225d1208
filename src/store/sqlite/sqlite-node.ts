import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isNodeAtLeast } from './node-version.ts'
import type { SqliteDatabase, SqliteDriver, SqliteEffect, SqliteOpenOptions, SqliteStatement } from './sqlite-driver.ts'

/** What is used of `node:sqlite` (Node 24: SQLite). The types of the oldest Node that is supported, which the project compiles with, have no such module. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string | URL,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => DatabaseSync
  readonly backup: (source: DatabaseSync, target: string) => Promise<number>
}

interface DatabaseSync {
  readonly isTransaction: boolean
  prepare(sql: string): StatementSync
  exec(sql: string): void
  close(): void
}

interface StatementSync {
  columns(): readonly unknown[]
  setReadBigInts(enabled: boolean): void
  all(...values: readonly unknown[]): Record<string, unknown>[]
  run(...values: readonly unknown[]): SqliteEffect
  iterate(...values: readonly unknown[]): Iterable<Record<string, unknown>>
}

/**
 * The SQLite that Node itself carries, on Node 24.16 and later 24, 26 and later. Undefined on others: up to 24.15, and in all of 22, `node:sqlite`
 * cuts a text that is read at its first NUL.
 */
export function nodeSqlite(): SqliteDriver | undefined {
  const isFit = isNodeAtLeast(26, 0) || (isNodeAtLeast(24, 16) && !isNodeAtLeast(25, 0))
  const sqlite = isFit ? (process.getBuiltinModule('node:sqlite') as Sqlite) : undefined
  return sqlite && { name: 'node:sqlite', open: (path, options = {}) => new NodeDatabase(sqlite, path, options) }
}

/**
 * The same interface from the package `@photostructure/sqlite`, which brings it compiled for common platforms: nothing is downloaded or compiled
 * when it is installed. Undefined where it is not installed or does not load. It cuts a text at its first NUL, also when writing, so NUL is refused,
 * as PostgreSQL does.
 */
export function prebuiltSqlite(): SqliteDriver | undefined {
  const sqlite = loadPrebuilt()
  return (
    sqlite && {
      name: '@photostructure/sqlite',
      open: (path, options = {}) => new NodeDatabase(sqlite, path, options, withoutNul),
    }
  )
}

function loadPrebuilt(): Sqlite | undefined {
  try {
    const sqlite: Sqlite = createRequire(import.meta.url)('@photostructure/sqlite')
    // The native module is loaded with the first connection.
    new sqlite.DatabaseSync(':memory:', { readOnly: false, timeout: 0 }).close()
    return sqlite
  } catch {
    return undefined
  }
}

type Bind = (values: readonly unknown[]) => readonly unknown[]

class NodeDatabase implements SqliteDatabase {
  readonly #sqlite: Sqlite
  readonly #database: DatabaseSync
  readonly #bind: Bind

  constructor(sqlite: Sqlite, path: string, { mode = 'create', busyMs = 0 }: SqliteOpenOptions, bind: Bind = bound) {
    this.#sqlite = sqlite
    this.#bind = bind
    this.#database = new sqlite.DatabaseSync(mode === 'existing' ? existing(path) : path, {
      readOnly: mode === 'readonly',
      timeout: busyMs,
    })
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  prepare<Row>(sql: string): SqliteStatement<Row> {
    return new NodeStatement<Row>(this.#database.prepare(sql), sql, this.#bind)
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  backup(target: string): Promise<unknown> {
    return this.#sqlite.backup(this.#database, target)
  }

  close(): void {
    this.#database.close()
  }
}

/** SQLite: URI Filenames, `mode=rw` makes no file. */
function existing(path: string): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return url
}

/** Runs with rows as Node makes them; integers that a number cannot hold come from a second run with BigInt. */
class NodeStatement<Row> implements SqliteStatement<Row> {
  readonly reader: boolean
  readonly #statement: StatementSync
  /** Run twice it does the same; a statement that writes and gives rows is read with BigInt from the start. */
  readonly #isQuery: boolean
  readonly #bind: Bind

  constructor(statement: StatementSync, sql: string, bind: Bind) {
    this.#statement = statement
    this.#bind = bind
    this.reader = statement.columns().length > 0
    this.#isQuery = /^\s*(?:select|pragma)\b/i.test(sql)
    if (this.reader && !this.#isQuery) statement.setReadBigInts(true)
  }

  all(values: readonly unknown[]): Row[] {
    if (!this.#isQuery) return this.#statement.all(...this.#bind(values)).map(inNumbers) as Row[]
    try {
      return this.#statement.all(...this.#bind(values)) as Row[]
    } catch (error) {
      if (!isOutOfRange(error)) throw error
    }
    this.#statement.setReadBigInts(true)
    try {
      return this.#statement.all(...this.#bind(values)).map(inNumbers) as Row[]
    } finally {
      this.#statement.setReadBigInts(false)
    }
  }

  run(values: readonly unknown[]): SqliteEffect {
    return this.#statement.run(...this.#bind(values))
  }

  *iterate(values: readonly unknown[]): Iterable<Row> {
    this.#statement.setReadBigInts(true)
    for (const row of this.#statement.iterate(...this.#bind(values))) yield inNumbers(row) as Row
  }
}

/** Node 24 binds no `undefined`, which is NULL to better-sqlite3. Whatever else SQLite has no type for is refused by the driver. */
function bound(values: readonly unknown[]): readonly unknown[] {
  return values.includes(undefined) ? values.map((value) => value ?? null) : values
}

function withoutNul(values: readonly unknown[]): readonly unknown[] {
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new RangeError('a text with a NUL character cannot be stored; send it without U+0000')
  return bound(values)
}

function inNumbers(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) if (typeof row[name] === 'bigint') row[name] = Number(row[name])
  return row
}

function isOutOfRange(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  // The package @photostructure/sqlite gives the message of Node without its code.
  return (
    error.code === 'ERR_OUT_OF_RANGE' || error.message.startsWith('Value is too large to be represented as a JavaScript number')
  )
}
