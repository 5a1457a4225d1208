/** A statement of SQLite, prepared once. */
export interface SqliteStatement<Row> {
  /** Whether it gives rows. */
  readonly reader: boolean
  /** Runs it with values for its placeholders, by position, and gives all rows. */
  all(values: readonly unknown[]): Row[]
  /** Runs it for its effect. */
  run(values: readonly unknown[]): SqliteEffect
  /** Gives rows while they are read. */
  iterate(values: readonly unknown[]): Iterable<Row>
}

export interface SqliteEffect {
  readonly changes: number | bigint
  readonly lastInsertRowid: number | bigint
}

/**
 * A connection to a SQLite file, whatever driver opened it. Values are text, numbers and null; an integer beyond 2^53 is read as the nearest
 * number. Throws what `sqliteFault` knows.
 */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  /** `Row` states what the columns hold; it is not checked. */
  prepare<Row = unknown>(sql: string): SqliteStatement<Row>
  /** Runs one or more statements that take no values. */
  exec(sql: string): void
  /** Copies the file, which may be in use, page by page (SQLite: Online Backup API). */
  backup(target: string): Promise<unknown>
  close(): void
}

export interface SqliteOpenOptions {
  /** `create` (default): makes a file where there is none. */
  readonly mode?: 'create' | 'existing' | 'readonly'
  /** How long a statement waits for the lock of another connection, in milliseconds. */
  readonly busyMs?: number
}

export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3' | '@photostructure/sqlite'
  /** Throws what `sqliteFault` knows when the file cannot be opened. */
  open(path: string, options?: SqliteOpenOptions): SqliteDatabase
}

/** SQLITE_BUSY (SQLite: Result and Error Codes); extended codes hold the primary one in their lowest eight bits. */
const SQLITE_BUSY = 5

/** What SQLite refused: `busy` when another connection holds the lock. Undefined for an error that is not of SQLite. */
export function sqliteFault(error: unknown): 'busy' | 'other' | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.name === 'SqliteError') return String(error.code).startsWith('SQLITE_BUSY') ? 'busy' : 'other'
  if (error.code !== 'ERR_SQLITE_ERROR') return undefined
  return 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY ? 'busy' : 'other'
}
