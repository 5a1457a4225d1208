import type { Artifact, Part, StreamResponse, Task } from 'a2a'
import { TaskState } from 'a2a'
import type { Outcome } from '../../pipeline/call.ts'
import { AdcpError, type RecoveryOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { compareLines } from '../../protocol/release-version.ts'
import { errorShapes } from '../json-rpc/error-shapes.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { structuredContent } from '../mcp/envelope.ts'
import type { A2aVersion } from './exchange.ts'

/** AdCP enums/task-status as A2A names it. */
const STATES: Readonly<Record<string, TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  canceled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
  rejected: TaskState.TASK_STATE_REJECTED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
}

/** The status of AdCP that an A2A state represents; undefined for none. */
export function adcpStatus(state: TaskState): string | undefined {
  return Object.keys(STATES).find((status) => STATES[status] === state)
}

/** States that a task never leaves (A2A 1.0 §4.1.3). */
const TERMINAL: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_REJECTED,
])

export function isOver(task: Task): boolean {
  return task.status !== undefined && TERMINAL.has(task.status.state)
}

/** Whether a task waits for something that only the buyer can do. */
export function isWaitingForBuyer(task: Task): boolean {
  return task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
}

/**
 * State of a call that was answered with an error. By AdCP's transport errors page it has failed. Official clients of AdCP 3.0, which
 * speak 0.3, read artifacts of completed tasks only and would be left without code and reason, so there the task is over and its
 * data part says `failed`.
 */
const REFUSED: Readonly<Record<A2aVersion, TaskState>> = {
  '0.3': TaskState.TASK_STATE_COMPLETED,
  '1.0': TaskState.TASK_STATE_FAILED,
}

export interface CallIds {
  readonly id: string
  readonly contextId: string
}

/**
 * What a call came to. The A2A task is the call itself, so it is over when the call has an answer, also when the answer is that
 * the work is `submitted`: that work has an id of its own, the `task_id` of the payload. The data part is the very object that MCP gives as `structuredContent`.
 */
export function calledTask(outcome: Outcome, ids: CallIds, version: A2aVersion, at: Date): Task {
  const payload = structuredContent(outcome)
  const name = outcome.ok ? 'result' : 'error'
  return {
    ...ids,
    status: statusOf(outcome.ok ? TaskState.TASK_STATE_COMPLETED : REFUSED[version], at.toISOString()),
    artifacts: [artifact(name, partsOf(outcome, payload), metadataOf(outcome, payload))],
    history: [],
    metadata: undefined,
  }
}

/**
 * The data, and the text that MCP gives for it. Official clients of 3.0 take `status` of a leading data part for that of the call, so it leads
 * where it is the status of a call or of a task; a media buy that is `canceled` is a call that went well.
 */
function partsOf(outcome: Outcome, payload: JsonObject): Part[] {
  const [text, data] = [textPart(textOf(outcome, payload)), dataPart(payload)]
  return !outcome.ok || typeof payload.task_id === 'string' ? [data, text] : [text, data]
}

/** What a person reads of an answer: the summary of the task, or what was refused and what to send instead. */
function textOf(outcome: Outcome, { message }: JsonObject): string {
  if (!outcome.ok) {
    const { message, suggestion } = outcome.error
    return [message, suggestion].filter(Boolean).join('. ')
  }
  return outcome.summarize?.() ?? (typeof message === 'string' ? message : 'Done')
}

/** Where clients of 3.0 and 3.1 look for the id of submitted work; 3.2 has it in the data part alone and forbids it here (AdCP A2A response format). */
function metadataOf(
  { ok }: Outcome,
  { status, task_id, adcp_version: line = '3.0' }: JsonObject,
): Record<string, unknown> | undefined {
  if (!ok || status !== 'submitted' || typeof task_id !== 'string') return undefined
  return typeof line === 'string' && compareLines(line, '3.2') < 0 ? { adcp_task_id: task_id } : undefined
}

/** Stored work, from the payload of `get_task_status` or an entry of `list_tasks`. It is a conversation of its own. */
export function storedTask(payload: JsonObject, recoveryOf: RecoveryOf): Task {
  const { task_id: id, status, updated_at: updatedAt, result, error } = payload
  if (typeof id !== 'string' || typeof status !== 'string' || typeof updatedAt !== 'string') {
    throw new Error('the answer of get_task_status is not what its schema says')
  }
  return {
    id,
    contextId: id,
    status: statusOf(STATES[status] ?? TaskState.TASK_STATE_UNSPECIFIED, updatedAt),
    artifacts: [
      ...(isObject(result) ? [artifact('result', [dataPart(result)])] : []),
      ...(isObject(error) ? [artifact('error', [dataPart(failure(status, error, recoveryOf))])] : []),
    ],
    history: [],
    metadata: undefined,
  }
}

function failure(status: string, { code, message }: JsonObject, recoveryOf: RecoveryOf): JsonObject {
  const error = new AdcpError(
    typeof code === 'string' ? code : 'SERVICE_UNAVAILABLE',
    typeof message === 'string' ? message : status,
  )
  return { status, ...errorShapes(error, recoveryOf) }
}

function statusOf(state: TaskState, timestamp: string) {
  return { state, timestamp, message: undefined }
}

function artifact(name: 'result' | 'error', parts: Part[], metadata?: Record<string, unknown>): Artifact {
  return { artifactId: `adcp-${name}`, name, description: '', parts, metadata, extensions: [] }
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' }
}

function dataPart(value: JsonObject): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' }
}

/** A finished task as the events of a stream: that it runs, what it gave, how it ended (A2A 1.0 §3.1.2). */
export function* eventsOf(task: Task): Generator<StreamResponse> {
  const running = statusOf(TaskState.TASK_STATE_WORKING, task.status?.timestamp ?? '')
  yield snapshotOf({ ...task, status: running, artifacts: [] })
  yield* updatesOf(task)
}

/** A task as it is. */
export function snapshotOf(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } }
}

/** What a task gave, and its status. */
export function* updatesOf({ id: taskId, contextId, artifacts, status }: Task): Generator<StreamResponse> {
  for (const artifact of artifacts) {
    const value = { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }
    yield { payload: { $case: 'artifactUpdate', value } }
  }
  yield { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } }
}
