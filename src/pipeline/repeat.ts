import { hasExpired } from '../store/identity/api-keys.ts'
import type { State, Step } from './state.ts'
import { elapsed, factsOf } from './steps/map-errors.ts'
import type { Call } from './task.ts'

/** Leave to give an outcome again to a call that is the same to the byte, headers that prove the caller included. */
export interface Repeat {
  /** Whether all that the outcome came from is as it was: the store, the caller's key, the answer's age. */
  isGood(): boolean
  /**
   * Does what every call owes: counts it against the caller's limit, logs it, observes it. False when the pipeline has to answer: the call
   * is refused, or its steps are traced.
   */
  account(call: Pick<Call, 'requestId' | 'credentials'>): Promise<boolean>
}

/**
 * Offers the outcome of a read for repetition when its payload is a kept answer and the caller came with an opaque key: for both, the
 * store's mark and a moment tell whether they still hold. Other credentials prove themselves anew with every call. A call that is traced
 * takes all the steps, and offers nothing: what it has noted for the log is of its own trace.
 */
export const offerRepeat: Step = async (state, next) => {
  const result = await next(state)
  const { principal, deps } = state
  const until = deps.services.productAnswers.goodUntil(result.payload)
  if (until === undefined || principal?.keyExpiresAt === undefined || state.trace) return result
  return { ...result, repeat: repeatOf(state, until) }
}

function repeatOf(state: State, until: number): Repeat {
  const { deps, principal, mark, task } = state
  return {
    isGood() {
      const now = deps.clock()
      return deps.store.mark() === mark && now.getTime() < until && !hasExpired(principal?.keyExpiresAt, now)
    },
    async account({ requestId, credentials }) {
      if (deps.spans?.begin({ task, call: { ...state.call, requestId, credentials } })) return false
      const started = performance.now()
      try {
        await deps.limitCalls({ principal, isMutating: false, address: credentials.remoteAddress })
      } catch {
        // The pipeline refuses it with all that belongs to a refusal.
        return false
      }
      const ms = elapsed(started)
      state.log.repeated(requestId, ms)
      deps.observe({ ...factsOf(state), requestId, at: deps.clock(), ms, outcome: 'ok', replayed: false })
      return true
    },
  }
}
