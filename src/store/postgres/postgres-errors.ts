import { AdcpError } from '../../protocol/errors.ts'
import { StoreUnavailable } from '../store-unavailable.ts'

/** What an error of PostgreSQL or of the way to it means for the work that met it. */
export type PostgresFault =
  /** The transaction lost against others: it can simply run again. */
  | 'contention'
  /** A row with this key was committed meanwhile: seen by another run, unless the work itself is at fault. */
  | 'duplicate'
  /** Another version of the program changed a table: the statement has to be prepared again. */
  | 'stale-plan'
  /** The database does not answer, or not in time. */
  | 'away'
  | 'other'

/** Serialisation failure, deadlock, and a statement after one of them (PostgreSQL appendix A, classes 40 and 25). */
const CONTENTION = new Set(['40001', '40P01', '25P02'])

/**
 * No connection, shut down, starting, out of connections or memory, a time limit, a standby (PostgreSQL appendix A), and what the
 * operating system says of connections.
 */
const AWAY =
  /^(?:08\w{3}|57P0[1-5]|57014|53\w{3}|55P03|25P03|25P04|25006|E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|AI_AGAIN|HOSTDOWN))$/

/** The client library gives these no code. */
const AWAY_MESSAGE =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered)/

/** What an error means. */
export function faultOf(error: unknown): PostgresFault {
  if (!(error instanceof Error)) return 'other'
  const code = 'code' in error ? String(error.code) : ''
  if (CONTENTION.has(code)) return 'contention'
  if (code === '23505') return 'duplicate'
  if (code === '0A000' && error.message.startsWith('cached plan')) return 'stale-plan'
  // Several addresses of one host that all refuse come as one AggregateError.
  const inner = error instanceof AggregateError ? error.errors : []
  const isAway = AWAY.test(code) || AWAY_MESSAGE.test(error.message) || inner.some((one) => faultOf(one) === 'away')
  return isAway ? 'away' : 'other'
}

/** A text that has no form in the encoding of the database (PostgreSQL appendix A, character_not_in_repertoire): NUL. */
const NO_TEXT = '22021'

/**
 * The error as callers of the store see it: a database that is unreachable becomes StoreUnavailable, a text that it cannot hold INVALID_REQUEST, everything else
 * stays.
 */
export function asStoreError(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === NO_TEXT) {
    const message = 'a text of the request holds a NUL character; send well-formed Unicode without U+0000'
    return new AdcpError('INVALID_REQUEST', message, { cause: error })
  }
  return faultOf(error) === 'away' ? new StoreUnavailable('the store does not answer at the moment', error) : error
}
