import type { FormatChooser } from '../../domain/creative/canonical/choose-format.ts'
import { withoutUndeclaredEnvelope } from '../../protocol/envelope-members.ts'
import { AdcpError, type Issue } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import { renamedError } from '../../protocol/renamed-error.ts'
import { faultsError } from '../faults-error.ts'
import { reviewMembers } from '../review-members.ts'
import type { State, Step } from '../state.ts'
import type { Model, Task } from '../task.ts'
import { withoutMembers } from '../without-members.ts'

/**
 * Brings a valid request into the model that the tasks are written in. Members that only the caller's release names are examined once more: one that
 * limits spending and is not carried out here is UNSUPPORTED_FEATURE, the others have no effect and are listed in the answer. So is a value that only
 * the caller's release knows.
 */
export const convertRequest: Step = async (state, next) => {
  const { contract, deps, task } = state
  if (!contract.isConverted || !task || !state.request) return next(state)
  const { model } = task
  if (!model) return next({ ...state, ...converted(state, task, { ...state.request }) })
  const { wiring } = deps.services
  const established = wiring.tasks.get(model.task)
  if (!established) throw new Error(`${task.name} is carried out as ${model.task}, which is not served`)
  return inNames(model.names, () => {
    const { request, ignored } = converted(state, established, model.read({ ...state.request }))
    return next({ ...state, request: { ...state.request, model: request }, ...(ignored && { ignored }) })
  })
}

/** A request of the caller's release for a task in the model of the tasks, and the fields of it that have no effect. */
function converted(state: State, task: Task, given: Readonly<Record<string, unknown>>): Pick<State, 'request' | 'ignored'> {
  const { contract, deps } = state
  const { base } = deps.contracts
  const request = contract.requestForTask(task.name, given, deps.services.wiring)
  if (!base.has(task.name)) return { request }
  const { unsupported, ignored } = reviewMembers(base, task, request, true)
  const issues = base.schemas.request(task.name)(
    withoutUndeclaredEnvelope(request, task.name, base.schemas.requestDocument(task.name)),
  )
  const unnamed = issues.filter(({ keyword }) => keyword === 'additionalProperties')
  const unknown = issues.filter((issue) => !unnamed.includes(issue) && !task.takesForm?.(issue, request))
  const misfits = unknown.flatMap((issue) => misfitOf(issue, request, deps.services.wiring.formats) ?? [])
  const refused = [...misfits, ...unsupported]
  if (refused.length > 0) throw faultsError('UNSUPPORTED_FEATURE', refused)
  if (unknown.length > 0) throw notCarriedOut(state, unknown)
  const fields = unnamed.map(({ pointer }) => fieldOf(pointer))
  return {
    request: withoutMembers(request, unnamed),
    ignored: [...new Set([...(state.ignored ?? []), ...ignored, ...fields])],
  }
}

/** Does the work; what is wrong with the established request is named as the caller wrote it. */
async function inNames<T>(names: Model['names'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AdcpError ? renamedError(error, names) : error
  }
}

/** What is wrong with a creative that names its kind alone, for which {@link Contract.requestForTask} found no format; undefined for another issue. */
function misfitOf({ pointer, keyword }: Issue, request: object, formats: FormatChooser): Issue | undefined {
  if (keyword !== 'required' || !pointer.endsWith(FORMAT_ID)) return undefined
  const owner = pointer.slice(0, -FORMAT_ID.length)
  const creative = valueAt(request, owner)
  if (!isObject(creative) || creative.format_kind === undefined) return undefined
  const misfit = formats.misfitOf(creative.format_kind, creative.assets)
  return { pointer: owner + misfit.pointer, message: misfit.message, keyword: 'format' }
}

const FORMAT_ID = '/format_id'

function valueAt(request: object, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, part) => (Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined),
      request,
    )
}

function notCarriedOut({ contract }: State, issues: readonly Issue[]): AdcpError {
  const error = faultsError('UNSUPPORTED_FEATURE', issues)
  const message = `this form of AdCP ${contract.line} is not carried out here: ${error.message}`
  return new AdcpError('UNSUPPORTED_FEATURE', message, { ...(error.field !== undefined && { field: error.field }), issues })
}
