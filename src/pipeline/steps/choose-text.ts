import type { Step } from '../state.ts'

/** Says how the answer reads where a transport shows text beside the data: as the task's summary, unless the principal wants JSON. */
export const chooseText: Step = async (state, next) => {
  const result = await next(state)
  const { task, principal } = state
  return !task || principal?.textForm === 'json'
    ? result
    : { ...result, summarize: () => task.summarize(result.neutral ?? result.payload) }
}
