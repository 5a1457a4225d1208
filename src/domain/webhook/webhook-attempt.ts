import { isObject } from '../../protocol/is-object.ts'

/** What the webhooks of a resource are about. */
export type AttemptSubject = { readonly kind: 'media_buy' | 'creative'; readonly id: string }

/** What came of an attempt: the receiver's HTTP status, if it answered, and the size of what was sent. */
export interface AttemptAnswer {
  readonly status?: number | undefined
  readonly timedOut?: boolean | undefined
  readonly bytes?: number | undefined
}

/** One attempt to send a webhook, as its buyer may see it (AdCP 3.1, core/webhook-activity-record.json). */
export interface WebhookAttempt {
  readonly idempotencyKey: string
  readonly notificationType: string
  readonly subscriberId: string | undefined
  readonly sequenceNumber: number | undefined
  /** 1 for the first. */
  readonly attempt: number
  readonly firedAt: string
  readonly completedAt: string
  /** Without query, fragment and segments that may be secrets. */
  readonly url: string
  readonly result: AttemptAnswer
}

/** Values of enums/notification-type.json that this agent sends. */
const RECORDED: ReadonlySet<string> = new Set([
  'scheduled',
  'final',
  'delayed',
  'adjusted',
  'impairment',
  'creative.status_changed',
  'creative.purged',
])

/** What the body of a webhook says of itself; undefined for one without a notification type, e.g. the end of a task. */
export function notificationOf(
  body: string,
): (Pick<WebhookAttempt, 'notificationType' | 'subscriberId' | 'sequenceNumber'> & { readonly creativeId?: string }) | undefined {
  const payload: unknown = JSON.parse(body)
  if (!isObject(payload)) return undefined
  const from = isObject(payload.result) ? payload.result : (artifactOf(payload) ?? payload)
  const { notification_type: type, sequence_number: sequence } = from
  if (typeof type !== 'string' || !RECORDED.has(type)) return undefined
  return {
    notificationType: type,
    subscriberId: typeof payload.subscriber_id === 'string' ? payload.subscriber_id : undefined,
    sequenceNumber: typeof sequence === 'number' ? sequence : undefined,
    ...(typeof payload.creative_id === 'string' && { creativeId: payload.creative_id }),
  }
}

/** The data of the artifact in a notification of A2A; see a2a-body. */
function artifactOf(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { artifacts } = isObject(payload.task) ? payload.task : payload
  const parts = Array.isArray(artifacts) && isObject(artifacts[0]) ? artifacts[0].parts : undefined
  const part: unknown = Array.isArray(parts) ? parts.find((each: unknown) => isObject(each) && isObject(each.data)) : undefined
  return isObject(part) && isObject(part.data) ? part.data : undefined
}

/** From this length on a segment of letters and digits mixed is taken for a secret. */
const SECRET_LENGTH = 20

/** A webhook address as it is shown: buyers put secrets into query and path (snapshot-and-log page, "Privacy"). */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  const path = pathname.split('/').map((segment) => (isSecret(segment) ? 'REDACTED' : segment))
  return `${origin}${path.join('/')}`
}

function isSecret(segment: string): boolean {
  return segment.length >= SECRET_LENGTH && /\d/.test(segment) && /[A-Za-z]/.test(segment)
}

/** An attempt on the wire. What the receiver answered, beside its status, is not shown. */
export function presentAttempt({ result, ...attempt }: WebhookAttempt): object {
  const { status, timedOut, bytes } = result
  const answered = status !== undefined
  return {
    idempotency_key: attempt.idempotencyKey,
    ...(attempt.subscriberId !== undefined && { subscriber_id: attempt.subscriberId }),
    fired_at: attempt.firedAt,
    completed_at: attempt.completedAt,
    notification_type: attempt.notificationType,
    ...(attempt.sequenceNumber !== undefined && { sequence_number: attempt.sequenceNumber }),
    attempt: attempt.attempt,
    status: outcomeOf(result),
    url: attempt.url,
    http_status_code: status ?? null,
    response_time_ms: answered ? Date.parse(attempt.completedAt) - Date.parse(attempt.firedAt) : null,
    ...(bytes !== undefined && { payload_size_bytes: bytes }),
    error_message: answered ? (isSuccess(status) ? null : `HTTP ${status}`) : timedOut ? 'no answer in time' : 'no connection',
  }
}

function outcomeOf({ status, timedOut }: AttemptAnswer): string {
  if (status === undefined) return timedOut ? 'timeout' : 'connection_error'
  return isSuccess(status) ? 'success' : 'failed'
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
