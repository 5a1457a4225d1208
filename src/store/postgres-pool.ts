import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { asStoreError, faultOf } from './postgres-errors.ts'

export interface PoolLimits {
  /** Connections of this process. */
  readonly connections: number
  /** A statement that takes longer is ended by the server; 0: never. */
  readonly statementMs: number
  /** How long a call waits for a lock of another one; 0: as long as its statement may. */
  readonly lockMs: number
  /** How long a call waits for a connection. */
  readonly connectMs: number
  /** Commits wait for no disk: a crash of the database loses the last moments, and nothing else. */
  readonly lazyCommits?: boolean
}

/** Longer than any statement of a call should take, shorter than the callers' patience. */
export const CALL_LIMITS: Omit<PoolLimits, 'connections'> = { statementMs: 15_000, lockMs: 5_000, connectMs: 5_000 }

/** Migrations and copies take as long as they take. */
export const PATIENT_LIMITS: PoolLimits = { connections: 1, statementMs: 0, lockMs: 0, connectMs: 10_000 }

/** Statements that a connection keeps prepared: about as many as the program has. */
const MAX_PREPARED = 500

/**
 * Opens a pool. Integers of 64 bits are read as numbers: money in micros stays below 2^53 (9 billion currency units).
 * A network that swallows packets is noticed by the client's own limit, a second after the server's.
 */
export function openPool(url: string, limits: PoolLimits): pg.Pool {
  const types = {
    getTypeParser: (oid: number, format?: string) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  }
  const { statementMs, lockMs, connectMs } = limits
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'sales-agent',
    max: limits.connections,
    types,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectMs,
    ...(statementMs > 0 && {
      statement_timeout: statementMs,
      query_timeout: statementMs + 1_000,
      // Work that stops in the middle of a transaction must not hold its locks for ever.
      idle_in_transaction_session_timeout: statementMs,
    }),
    ...(lockMs > 0 && { lock_timeout: lockMs }),
    ...(limits.lazyCommits && { options: '-c synchronous_commit=off' }),
  })
  // An idle connection that the server closes must not end the process; the next query reports it.
  pool.on('error', () => {})
  // Nor must one that is in use: its statement is told as well.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * The pool as Kysely takes it: statements are prepared once for each connection, a connection that met a fault of its own is
 * thrown away, and a database that is away is reported as StoreUnavailable.
 */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  return {
    async connect() {
      try {
        return new Connection(await pool.connect(), names)
      } catch (error) {
        throw asStoreError(error)
      }
    },
    end: () => pool.end(),
  }
}

const CONTROL = /^(?:begin|start transaction|commit|rollback)/

class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: Map<string, string>
  #isBroken = false
  #inTransaction = false
  /** Statements of a transaction that are asked for at once go one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: pg.PoolClient, names: Map<string, string>) {
    this.#client = client
    this.#names = names
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(text: string | PostgresCursor<R>, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not used here')
    const result = this.#last.then(() => this.#watched(text, values))
    this.#last = result.catch(() => {})
    return result
  }

  release(): void {
    this.#client.release(this.#isBroken)
  }

  async #watched(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const control = CONTROL.exec(text)?.[0]
    try {
      const result = await this.#run(text, values, control !== undefined)
      if (control !== undefined) this.#inTransaction = control === 'begin' || control === 'start transaction'
      // PostgreSQL answers COMMIT with ROLLBACK when a statement had failed and nobody noticed.
      if (control === 'commit' && result.command !== 'COMMIT') throw new Error('the transaction had failed before its commit')
      return result
    } catch (error) {
      const fault = faultOf(error)
      this.#isBroken ||= fault === 'away' || fault === 'stale-plan'
      if (fault === 'stale-plan' && !this.#inTransaction) return this.#client.query(text, [...values])
      throw asStoreError(error)
    }
  }

  #run(text: string, values: readonly unknown[], isControl: boolean): Promise<pg.QueryResult> {
    const name = isControl ? undefined : this.#nameOf(text)
    return this.#client.query({ text, values: [...values], ...(name !== undefined && { name }) })
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
