import { changesState } from '../mutating.ts'
import type { Step } from '../state.ts'

/** Counts the call against its caller's window for the kind of task. After `admit`, so that only an established caller is counted. */
export const limitRate: Step = async (state, next) => {
  const { call, deps, task, principal } = state
  const isChange = changesState(task, call.arguments)
  await deps.limitCalls({ principal, isMutating: isChange, address: call.credentials.remoteAddress })
  return next(state)
}
