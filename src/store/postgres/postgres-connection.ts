import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type pg from 'pg'
import { asStoreError, faultOf } from './postgres-errors.ts'

/** Statements that a connection keeps prepared: about as many as the program has. */
const MAX_PREPARED = 500

/** Names under which statements are prepared: the same on every connection of a store. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Undefined when there are too many to keep. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/**
 * A connection as Kysely takes it. Statements are prepared once; those that are asked for at once are sent at once and run one after
 * the other. A database that is unreachable is reported as StoreUnavailable.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  #isBroken = false
  #inTransaction = false

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client
    this.#names = names
  }

  /** Whether it met a fault of its own, after which it must be thrown away. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>> {
    const values = [...parameters]
    const name = this.#names.of(sql)
    try {
      return resultOf(await this.#client.query({ text: sql, values, ...(name !== undefined && { name }) }))
    } catch (error) {
      if (this.#note(error) === 'stale-plan' && !this.#inTransaction) return resultOf(await this.#client.query(sql, values))
      throw asStoreError(error)
    }
  }

  /** Begins or ends a transaction. */
  async control(text: string): Promise<void> {
    try {
      const { command } = await this.#client.query(text)
      this.#inTransaction = command === 'START'
      // PostgreSQL answers COMMIT with ROLLBACK when a statement had failed unnoticed.
      if (text === 'commit' && command !== 'COMMIT') throw new Error('the transaction had failed before its commit')
    } catch (error) {
      this.#note(error)
      throw asStoreError(error)
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here reads by cursor
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('cursors are not used here')
  }

  /** Gives it back to its pool. */
  release(): void {
    this.#client.release(this.#isBroken)
  }

  /** Ends it, once what it has been sent is answered. */
  discard(): void {
    this.#client.release(true)
  }

  #note(error: unknown) {
    const fault = faultOf(error)
    this.#isBroken ||= fault === 'away' || fault === 'stale-plan'
    return fault
  }
}

/** The connections of a pool as one: each statement takes one for itself. */
export class PooledStatements implements DatabaseConnection {
  readonly #pool: pg.Pool
  readonly #names: StatementNames

  constructor(pool: pg.Pool, names: StatementNames) {
    this.#pool = pool
    this.#names = names
  }

  /** A connection that its caller has to release. Throws StoreUnavailable. */
  async connect(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#names)
    } catch (error) {
      throw asStoreError(error)
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const connection = await this.connect()
    try {
      return await connection.executeQuery<R>(query)
    } finally {
      connection.release()
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here reads by cursor
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('cursors are not used here')
  }
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function resultOf<R>({ command, rowCount, rows }: pg.QueryResult): QueryResult<R> {
  return { rows, ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
}
