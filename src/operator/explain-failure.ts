import { ConfigError } from '../config/config-error.ts'
import { AdcpError } from '../protocol/errors.ts'
import { sqliteFault } from '../store/sqlite/sqlite-driver.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'

/** An error as the person who runs a command reads it. */
export interface Failure {
  /** Of the protocol's list, or CONFIGURATION_ERROR. */
  readonly code: string
  readonly message: string
  /** What of the request is wrong, where the error says. */
  readonly field?: string
}

/** What a person can do something about: a refusal, a setting, the system, the database. Undefined for a fault of this program. */
export function explainFailure(error: unknown): Failure | undefined {
  if (!(error instanceof AdcpError || error instanceof ConfigError || isOfTheSystem(error))) return undefined
  const code = error instanceof AdcpError ? error.code : 'CONFIGURATION_ERROR'
  const message = error instanceof StoreUnavailable ? `${error.situation} (${reasonOf(error.cause)})` : messageOf(error)
  return { code, message, ...(error instanceof AdcpError && error.field !== undefined && { field: error.field }) }
}

/** The message of an error; of a port that is taken also what to do. */
function messageOf(error: Error): string {
  if (!('code' in error && error.code === 'EADDRINUSE' && 'port' in error)) return error.message
  return `port ${error.port} is taken (${error.message}): end what listens there, or choose another port`
}

/** What the system says; callers of a server do not see it. Several addresses of a host fail as one error. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  return cause instanceof Error ? cause.message : String(cause)
}

/** A port in use, a folder that cannot be made, a file or a database that refuses. */
function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || 'severity' in error || sqliteFault(error) !== undefined)
}
