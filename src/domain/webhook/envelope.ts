/** An event of a task, as its subscribers receive it. Wire values of AdCP core/mcp-webhook-payload. */
export interface TaskEvent {
  readonly taskId: string
  /** Operation that began the task (enums/task-type). */
  readonly taskType: string
  /** Status of the task (enums/task-status); never that of a media buy. */
  readonly status: string
  readonly at: Date
  readonly message?: string | undefined
  readonly result?: object | undefined
  /** Of a notification about a state that lasts: the id of that state (AdCP 3.1, enums/notification-type). */
  readonly notificationId?: string | undefined
}

/** What a subscriber gets back unchanged. */
export interface Echo {
  readonly operationId?: string | undefined
  /** The release line that the call named which registered it; absent: the lowest. */
  readonly release?: string | undefined
  /** The protocol area of the task (enums/adcp-protocol). */
  readonly protocol?: string | undefined
  readonly context?: unknown
}

/** Values of enums/adcp-protocol; operations of other areas (accounts) name none. */
export const PROTOCOLS: ReadonlySet<string> = new Set([
  'media-buy',
  'signals',
  'governance',
  'creative',
  'brand',
  'sponsored-intelligence',
])

/**
 * The body of a webhook (AdCP core/mcp-webhook-payload) as text. It is written once: every attempt sends these bytes, so that a receiver
 * can distinguish a repetition (same key, same body) from a forgery.
 */
export function webhookBody(event: TaskEvent, echo: Echo, idempotencyKey: string): string {
  const { protocol } = echo
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    ...(event.notificationId !== undefined && { notification_id: event.notificationId }),
    ...operationOf(event, echo),
    task_id: event.taskId,
    task_type: event.taskType,
    ...(protocol !== undefined && PROTOCOLS.has(protocol) && { protocol }),
    status: event.status,
    timestamp: event.at.toISOString(),
    ...(event.message !== undefined && { message: event.message }),
    ...(event.result !== undefined && { result: event.result }),
    ...(echo.context !== undefined && { context: echo.context }),
  })
}

/** A webhook names its operation always, as releases from 3.1 on demand: the task, where the buyer gave it no name. */
function operationOf({ taskId }: TaskEvent, { operationId = taskId }: Echo): { readonly operation_id: string } {
  return { operation_id: operationId }
}

/** The body with the buyer's validation token, which is separated from it (encrypted). The same text for the same token. */
export function withToken(body: string, token: string | undefined): string {
  return token === undefined ? body : `${body.slice(0, -1)},"token":${JSON.stringify(token)}}`
}
