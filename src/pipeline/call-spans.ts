import type { Next, State, Step } from './state.ts'
import type { Outcome } from './task.ts'

/** Answers a call: the whole pipeline. */
export type Answer = (state: State) => Promise<Outcome>

/** What a span says of a call before anything is known of its outcome. */
export type BegunCall = Pick<State, 'call' | 'task'>

/** Shows where the time of calls goes. Bound when the pipeline is put together, so that without it nothing is paid. */
export interface CallSpans {
  /** The same step in a span of its own. */
  step(step: Step): Step
  /** The same for what the steps lead to. */
  handler(handle: Next): Next
  /**
   * Whether anybody will see a call that has not come to the pipeline yet. If so, its span begins now, and `answer` has to be asked for it:
   * a second look could come out otherwise.
   */
  begin(call: BegunCall): boolean
  /** Answers a call in a span: through `recorded`, or through `plain` when nobody will see the span. */
  answer(state: State, recorded: Answer, plain: Answer): Promise<Outcome>
}
