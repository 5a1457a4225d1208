import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts'

/** Statements that a connection keeps prepared: about as many as the program has. */
const MAX_PREPARED = 500
/** Milliseconds for which work with one connection may keep the event loop: a request takes a few, one of ten thousand statements gives way. */
const MOST_MS = 20

/**
 * A connection as Kysely takes it. Each statement is prepared once, and has run when `executeQuery` returns. Statements of SQLite wait for nothing, so a loop of them would
 * keep the event loop until its end: whoever has kept it for long goes on in its next turn.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: SqliteDatabase
  readonly #prepared = new Map<string, SqliteStatement<unknown>>()
  /** When the first statement of this turn of the event loop began. */
  #turnBeganMs: number | undefined

  constructor(database: SqliteDatabase) {
    this.#database = database
  }

  async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>> {
    const statement = this.#statement(sql)
    if (this.#hasKeptTheLoop()) await yieldToEventLoop()
    if (statement.reader) return { rows: statement.all(parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here reads by cursor
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('cursors are not used here')
  }

  #hasKeptTheLoop(): boolean {
    const now = performance.now()
    if (this.#turnBeganMs !== undefined) return now - this.#turnBeganMs > MOST_MS
    this.#turnBeganMs = now
    setImmediate(() => {
      this.#turnBeganMs = undefined
    })
    return false
  }

  #statement(sql: string): SqliteStatement<unknown> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    if (this.#prepared.size < MAX_PREPARED) this.#prepared.set(sql, statement)
    return statement
  }
}
