import type { Outcome } from './call.ts'
import type { Next, State, Step } from './state.ts'

/** Answers a call: the whole pipeline. */
export type Answer = (state: State) => Promise<Outcome>

/** Shows where the time of calls goes. Bound when the pipeline is put together, so that without it nothing is paid. */
export interface CallSpans {
  /** The same step in a span of its own. */
  step(step: Step): Step
  /** The same for what the steps lead to. */
  handler(handle: Next): Next
  /** Answers a call in a span: through `recorded`, or through `plain` when spans are not exported. */
  answer(state: State, recorded: Answer, plain: Answer): Promise<Outcome>
}
