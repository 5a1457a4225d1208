import type { Outcome } from './call.ts'
import type { Answer } from './call-spans.ts'
import type { Next, State, Step } from './state.ts'

/** Records calls of the agents that a person watches, and nothing while none is watched. */
export interface CallInspector {
  isWatching(): boolean
  /** The same step with its own time recorded. It keeps its name. */
  step(step: Step): Step
  handler(handle: Next): Next
  /** Answers a call and keeps what it was, if its agent is watched. */
  answer(state: State, run: Answer): Promise<Outcome>
}
