import type { Principal } from '../../domain/identity/principal.ts'
import { changesState } from '../mutating.ts'
import type { State, Step } from '../state.ts'
import { contextOf } from './replay.ts'

/** Some answers hold times that follow the clock (a draft's expiry), so none is given for longer than this. */
const MAX_AGE_MS = 30_000

/**
 * Answers a read of a task with a `cacheKey` from the cache while the store's data version is the one that the answer was computed from. It
 * comes after authentication, limits and validation, so every call is counted, checked, logged and traced alike.
 */
export const answerFromCache: Step = async (state, next) => {
  const key = keyOf(state)
  if (key === undefined) return next(state)
  const { deps, dataVersion } = state
  const cached = deps.answers.get(key, dataVersion)
  if (cached) return { ...cached, replayed: false }
  const result = await next(state)
  deps.answers.offer(key, dataVersion, { payload: result.payload, neutral: result.neutral ?? result.payload })
  return result
}

/** All that the answer depends on beside the stored data; undefined for a call that must run. */
function keyOf(state: State): string | undefined {
  const { task, request, tenant, principal, account, now, ignored = [] } = state
  if (!task?.cacheKey || !request || !tenant || hasEffect(state, request)) return undefined
  const own = task.cacheKey(request, contextOf(state))
  if (own === undefined) return undefined
  const caller = principal && viewOf(principal)
  const period = Math.floor(now.getTime() / MAX_AGE_MS)
  return JSON.stringify([state.contract.line, task.name, tenant.tenantId, caller, account, period, own, ignored])
}

/** Whether a call does more than read: it changes something, claims an idempotency key, or registers a webhook. */
function hasEffect({ task, call }: State, request: object): boolean {
  return (
    changesState(task, request) ||
    'idempotency_key' in request ||
    'push_notification_config' in request ||
    call.nativePush !== undefined
  )
}

/** What an answer may depend on of its caller: everything but the credential that proved it. */
function viewOf({ credentialId: _id, keyExpiresAt: _end, mechanism: _mechanism, ...view }: Principal): object {
  return view
}
