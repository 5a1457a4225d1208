import type { Echo, TaskEvent } from './envelope.ts'

/** A2A revisions in which a buyer may have registered a webhook natively. */
export type A2aFormat = 'a2a-0.3' | 'a2a-1.0'

/** Statuses after which nothing more becomes of a task; its result is an artifact then (AdCP A2A response format). */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected'])

/** The task of A2A that an event is about: its own id and that of its conversation. */
export interface A2aIds {
  readonly id: string
  readonly contextId: string
}

/**
 * The body of a native push notification of A2A as text: a whole task with its result when it has ended, a status update
 * before that. What AdCP's own envelope has beside it goes into `metadata`, the key for telling repetitions first of all.
 */
export function a2aBody(format: A2aFormat, ids: A2aIds, event: TaskEvent, echo: Echo, idempotencyKey: string): string {
  const write = format === 'a2a-1.0' ? current : legacy
  const metadata = {
    idempotency_key: idempotencyKey,
    adcp_task_id: event.taskId,
    task_type: event.taskType,
    ...(echo.operationId !== undefined && { operation_id: echo.operationId }),
    ...(echo.context !== undefined && { context: echo.context }),
  }
  return JSON.stringify(write({ ids, event, metadata, messageId: `msg_${idempotencyKey}` }))
}

interface Parts {
  readonly ids: A2aIds
  readonly event: TaskEvent
  readonly metadata: object
  readonly messageId: string
}

/** A2A 0.3: bare objects, distinguished by `kind`. */
function legacy({ ids, event, metadata, messageId }: Parts): object {
  const parts = partsOf(
    event,
    (text) => ({ kind: 'text', text }),
    (data) => ({ kind: 'data', data }),
  )
  const message = { kind: 'message', role: 'agent', messageId, taskId: ids.id, contextId: ids.contextId, parts: parts.message }
  const status = {
    state: event.status,
    timestamp: event.at.toISOString(),
    ...(parts.message.length > 0 && { message }),
  }
  if (!ENDED.has(event.status)) {
    return { kind: 'status-update', taskId: ids.id, contextId: ids.contextId, status, final: false, metadata }
  }
  return { kind: 'task', ...ids, status, artifacts: artifactsOf(event, parts.artifact), metadata }
}

/** A2A 1.0: a StreamResponse. */
function current({ ids, event, metadata, messageId }: Parts): object {
  const parts = partsOf(
    event,
    (text) => ({ text, mediaType: 'text/plain' }),
    (data) => ({ data, mediaType: 'application/json' }),
  )
  const message = { messageId, role: 'ROLE_AGENT', taskId: ids.id, contextId: ids.contextId, parts: parts.message }
  const status = {
    state: `TASK_STATE_${event.status.replaceAll('-', '_').toUpperCase()}`,
    timestamp: event.at.toISOString(),
    ...(parts.message.length > 0 && { message }),
  }
  if (!ENDED.has(event.status)) return { statusUpdate: { taskId: ids.id, contextId: ids.contextId, status, metadata } }
  return { task: { ...ids, status, artifacts: artifactsOf(event, parts.artifact), metadata } }
}

/** What is said goes into the message; data goes there while the task runs, and into the artifact when it has ended. */
function partsOf(event: TaskEvent, text: (value: string) => object, data: (value: object) => object) {
  const said = event.message === undefined ? [] : [text(event.message)]
  const given = event.result === undefined ? [] : [data(event.result)]
  return ENDED.has(event.status) ? { message: said, artifact: given } : { message: [...said, ...given], artifact: [] }
}

function artifactsOf({ status }: TaskEvent, parts: readonly object[]): object[] {
  if (parts.length === 0) return []
  const name = status === 'completed' ? 'result' : 'error'
  return [{ artifactId: `adcp-${name}`, name, parts }]
}
