import pg from 'pg'
import { CoalescingSocket } from './coalescing-socket.ts'

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
    // Statements that are asked for at once are sent at once.
    pipeline: true,
    stream: () => new CoalescingSocket(),
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
  // Nor must one that is in use: its statement gets the error too.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
