import { AdcpError } from '../errors.ts'
import { isSafeToEcho } from './reject-credentials.ts'
import type { Next, State } from './state.ts'
import type { Outcome } from './task.ts'

/**
 * The outermost layer: any throw becomes exactly one AdCP error, and what nobody foresaw becomes an opaque one whose
 * detail goes to the log under the request id. Writes the call's one log line; arguments never appear in it.
 */
export async function mapErrors(state: State, next: Next): Promise<Outcome> {
  const started = performance.now()
  const context = contextToEcho(state.call.arguments)
  try {
    const { payload, replayed } = await next(state)
    state.log.info({ ms: elapsed(started), replayed }, 'answered')
    return { ok: true, payload, replayed, ...(context !== undefined && { context }) }
  } catch (thrown) {
    const error = thrown instanceof AdcpError ? thrown : unforeseen(state, thrown)
    state.log.info({ ms: elapsed(started), code: error.code, field: error.field, cause: reasonOf(error) }, 'refused')
    return { ok: false, error, ...(context !== undefined && { context }) }
  }
}

function unforeseen(state: State, thrown: unknown): AdcpError {
  state.log.error({ err: thrown }, 'unforeseen error')
  return new AdcpError(
    'SERVICE_UNAVAILABLE',
    `something went wrong here; quote request ${state.call.requestId} to the publisher`,
    { retryAfter: 5 },
  )
}

function reasonOf(error: AdcpError): unknown {
  return error.cause instanceof Error ? error.cause.message : error.cause
}

function contextToEcho(args: unknown): unknown {
  const context = typeof args === 'object' && args !== null && 'context' in args ? args.context : undefined
  return context !== undefined && isSafeToEcho(context) ? context : undefined
}

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}
