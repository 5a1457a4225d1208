import type { Recovery } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** An error as it came over the wire. */
type WireError = Readonly<Record<string, unknown>>

/** When a failed call is repeated: not before a delay that the other side named, or after one of the caller's own. */
export type RetrySchedule =
  | { readonly kind: 'retry_after'; readonly minimumDelaySeconds: number }
  | { readonly kind: 'bounded_exponential_backoff' }

/** What a caller does about an error. */
export interface RecoveryDecision {
  readonly effectiveRecovery: Recovery
  readonly action: 'retry' | 'stop_retrying' | 'correct_request' | 'escalate'
  /** Of `retry` alone. */
  readonly schedule: RetrySchedule | undefined
  /** How often the call has been repeated, this decision included. */
  readonly retriesAttempted: number
}

/** How often a call has been repeated, and how often it may be. */
export interface RetryState {
  readonly retriesAttempted: number
  readonly maxRetries: number
}

/** The recovery class that a release registers for a code; undefined for a code that it does not have. */
export type RegisteredRecovery = (code: string) => Recovery | undefined

const CLASSES: ReadonlySet<unknown> = new Set<Recovery>(['transient', 'correctable', 'terminal'])
/** Seconds (core/error `retry_after`). */
const DELAY = { least: 1, most: 3600 } as const

/**
 * Decides on an error of another agent: its own `recovery`, else the class of a registered code, else the bounded attempts of `transient`; a class that
 * does not exist counts as terminal. A delay never permits what the class does not (AdCP 3.2, "Error recovery": reference decisions).
 */
export function decideRecovery(error: WireError, registered: RegisteredRecovery, state: RetryState): RecoveryDecision {
  const effectiveRecovery = effectiveClass(error, registered)
  const decided = { effectiveRecovery, schedule: undefined, retriesAttempted: state.retriesAttempted }
  if (effectiveRecovery === 'correctable') return { ...decided, action: 'correct_request' }
  if (effectiveRecovery === 'terminal') return { ...decided, action: 'escalate' }
  if (state.retriesAttempted >= state.maxRetries) return { ...decided, action: 'stop_retrying' }
  return { ...decided, action: 'retry', schedule: scheduleOf(error), retriesAttempted: state.retriesAttempted + 1 }
}

function effectiveClass(error: WireError, registered: RegisteredRecovery): Recovery {
  const { recovery } = error
  if (recovery === undefined) return registeredOf(error, registered) ?? 'transient'
  return isClass(recovery) ? recovery : 'terminal'
}

function registeredOf(error: unknown, registered: RegisteredRecovery): Recovery | undefined {
  const code = isObject(error) ? error.code : undefined
  return typeof code === 'string' ? registered(code) : undefined
}

function isClass(value: unknown): value is Recovery {
  return CLASSES.has(value)
}

function scheduleOf(error: WireError): RetrySchedule {
  const { retry_after: delay } = error
  if (typeof delay !== 'number' || !Number.isFinite(delay)) return { kind: 'bounded_exponential_backoff' }
  return { kind: 'retry_after', minimumDelaySeconds: Math.min(Math.max(Math.ceil(delay), DELAY.least), DELAY.most) }
}
