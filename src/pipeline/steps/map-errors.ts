import type { Observation } from '../../domain/audit/observation.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Call, Outcome } from '../call.ts'
import { changesState } from '../mutating.ts'
import type { Next, State } from '../state.ts'
import { isSafeToEcho } from './reject-credentials.ts'

/**
 * The outermost layer: any throw becomes exactly one AdCP error, and an unexpected one becomes an opaque one whose
 * detail goes to the log under the request id. Writes the call's one log line; arguments never appear in it.
 */
export async function mapErrors(state: State, next: Next): Promise<Outcome> {
  const started = performance.now()
  const context = await contextToEcho(state.call)
  try {
    const { payload, replayed, closed, summarize, textForm } = await next(state)
    const ms = elapsed(started)
    state.log.answered(ms, replayed)
    state.deps.observe({ ...factsOf(state), ms, outcome: 'ok', replayed })
    return {
      ok: true,
      payload,
      replayed,
      ...(closed && { closed }),
      ...(context !== undefined && { context }),
      ...(summarize && { summarize }),
      ...(textForm && { textForm }),
    }
  } catch (thrown) {
    const error = thrown instanceof AdcpError ? thrown : unforeseen(state, thrown)
    const ms = elapsed(started)
    const cause = reasonOf(error)
    const reason = error.code === 'AUTH_INVALID' && typeof cause === 'string' ? { reason: cause } : undefined
    state.deps.observe({ ...factsOf(state), ms, outcome: error.code, ...reason, replayed: false })
    state.log.info({ ms, code: error.code, field: error.field, cause }, 'refused')
    const { contract } = state.presentation
    return {
      ok: false,
      error: contract.errorOf(state.task?.name ?? '', error),
      recoveryOf: contract.recoveryOf,
      ...(contract.namedLine !== undefined && { release: contract.namedLine }),
      ...(context !== undefined && { context }),
    }
  }
}

/** What a call is known by, from what it has learned about itself. */
export function factsOf({ call, task, now, log }: State): Omit<Observation, 'ms' | 'outcome' | 'replayed'> {
  const { tenant, principal, credential, account } = log.facts
  return {
    requestId: call.requestId,
    transport: call.transport,
    task: task?.name ?? 'unknown',
    mutating: changesState(task, call.arguments),
    at: now,
    tenant,
    principal,
    credential,
    account,
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

async function contextToEcho({ arguments: args, credentials }: Call): Promise<unknown> {
  const context = typeof args === 'object' && args !== null && 'context' in args ? args.context : undefined
  // Any other value breaks the schema of the answer (core/context.json), also where a task takes the request.
  return isObject(context) && (await isSafeToEcho(context, credentials)) ? context : undefined
}

/** Milliseconds since a moment of `performance.now()`, to a hundredth. */
export function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}
