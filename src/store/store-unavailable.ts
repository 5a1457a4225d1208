import { AdcpError } from '../protocol/errors.ts'

/** Whole seconds after which a caller may try again: about what a restart or a failover of a database takes to begin to answer. */
const RETRY_AFTER_SECONDS = 2

/** The database is unreachable, or other processes keep it; nothing of the call was stored. A real HTTP 503, which load balancers understand too. */
export class StoreUnavailable extends AdcpError {
  /** What is wrong, without the advice to callers. */
  readonly situation: string

  constructor(situation: string, cause: unknown) {
    super('SERVICE_UNAVAILABLE', `${situation}; try again with the same idempotency key`, {
      retryAfter: RETRY_AFTER_SECONDS,
      http: { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
      cause,
    })
    this.situation = situation
  }
}
