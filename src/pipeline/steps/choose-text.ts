import type { TextForm } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { waysToApply } from '../../protocol/judge-member.ts'
import { declinedText, submittedText } from '../forced-tasks.ts'
import type { Result, State, Step } from '../state.ts'
import type { Task } from '../task.ts'

/**
 * Says how the answer reads where a transport shows text beside the data: as the call asks for it (`ext.answer_text`: `json` or `summary`), else as the principal
 * has it, else as the task's summary; and whether its schema is closed. Throws INVALID_REQUEST for another form.
 */
export const chooseText: Step = async (state, next) => {
  const { contract, task, principal, request } = state
  const asked = formAskedFor(request)
  const answer = await next(state)
  const result: Result = task && contract.isClosed(task.name) ? { ...answer, closed: true } : answer
  if (!task || (asked ?? principal?.textForm) === 'json') return { ...result, ...(asked && { textForm: asked }) }
  const { payload: shown, neutral = shown } = result
  const summarize = () =>
    summaryOf(task, neutral, shown) +
    withoutEffect(neutral, (name) =>
      [wayOf(contract, task, name), state.laterFaultOf?.get(name)].filter((each) => each !== undefined).join('; '),
    )
  return { ...result, summarize, ...(asked && { textForm: asked }) }
}

function wayOf({ schemas }: State['contract'], task: Task, name: string): string | undefined {
  const places = schemas.requestPlace(task.name)?.places ?? []
  return places.map((place) => waysToApply(place, name)).find((way) => way !== undefined)
}

/** A read that was submitted or declined, now or when its key was first used, has nothing of what the task's summary is about; one about a task has. */
function summaryOf(task: Task, payload: Result['payload'], shown: Result['payload']): string {
  const { status, task_id: taskId, task_type: type, reason } = payload
  if (!task.mutating && status === 'rejected' && typeof reason === 'string') return declinedText(reason, payload.suggestions)
  const isSubmitted = !task.mutating && status === 'submitted' && typeof taskId === 'string' && type === undefined
  return isSubmitted ? submittedText(taskId) : task.summarize(payload, shown)
}

function formAskedFor(request: object | undefined): TextForm | undefined {
  const ext = request && 'ext' in request ? request.ext : undefined
  const form = isObject(ext) ? ext.answer_text : undefined
  if (form === undefined || form === 'json' || form === 'summary') return form
  throw new AdcpError('INVALID_REQUEST', 'ext.answer_text must be "json" or "summary"', { field: 'ext.answer_text' })
}

/** Hosts that show the text alone would take an answer for one to all that was asked. */
function withoutEffect({ ext }: Readonly<Record<string, unknown>>, waysOf: (name: string) => string): string {
  const ignored = isObject(ext) && Array.isArray(ext.ignored_members) ? ext.ignored_members.map(String) : []
  const named = ignored.map((name) => {
    const ways = waysOf(name)
    return ways === '' ? name : `${name} (${ways})`
  })
  return ignored.length === 0 ? '' : `\nWithout effect: ${named.join(', ')} (ext.ignored_members).`
}
