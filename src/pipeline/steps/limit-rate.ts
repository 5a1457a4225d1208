import { changesState } from '../mutating.ts'
import type { State, Step } from '../state.ts'

/** Counts the call against its caller's window for the kind of task. After `admit`, so that only an established caller is counted. */
export const limitRate: Step = async (state, next) => {
  await countCall(state, 1)
  return next(state)
}

/** Counts a call as so many against its caller's window. Rejects with RATE_LIMITED (HTTP 429). */
export async function countCall({ call, deps, task, principal }: State, calls: number): Promise<void> {
  const isChange = changesState(task, call.arguments)
  await deps.limitCalls({ principal, isMutating: isChange, address: call.credentials.remoteAddress, calls })
}
