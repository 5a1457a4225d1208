import { isObject } from '../../protocol/is-object.ts'
import type { Step } from '../state.ts'

/** Says how the answer reads where a transport shows text beside the data: as the task's summary, unless the principal wants JSON. */
export const chooseText: Step = async (state, next) => {
  const result = await next(state)
  const { task, principal } = state
  if (!task || principal?.textForm === 'json') return result
  const { neutral = result.payload } = result
  return { ...result, summarize: () => task.summarize(neutral) + withoutEffect(neutral) }
}

/** Hosts that show the text alone would take an answer for one to all that was asked. */
function withoutEffect({ ext }: Readonly<Record<string, unknown>>): string {
  const ignored = isObject(ext) && Array.isArray(ext.ignored_members) ? ext.ignored_members : []
  return ignored.length === 0 ? '' : `\nWithout effect, since not known here: ${ignored.join(', ')}.`
}
