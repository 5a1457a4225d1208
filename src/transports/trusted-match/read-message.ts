import type { BodySender } from '../../platform/net/body-room.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Validate } from '../../protocol/schemas.ts'
import { BodyIncomplete, BodyTooLarge, BodyTooSlow, NoRoomForBody, readBody } from '../http/read-body.ts'
import type { MatchRequest } from './match-exchange.ts'
import { parseMatchJsonInTurns } from './match-json.ts'

/** How long a body may take to arrive: messages have some hundred bytes. */
const BODY_MS = 5_000

/** A body that is no message of this path, with the message, the status of HTTP, and after how many seconds it may be sent again. */
export class Malformed extends Error {
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(message: string, status = 400, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** A message that breaks its schema or a rule of its path: an error of the application, with the message. */
export class Invalid extends Error {
  readonly requestId: string

  constructor(requestId: string, message: string) {
    super(message)
    this.requestId = requestId
  }
}

export interface MessageRules {
  /** The `type` of the path. */
  readonly type: string
  readonly maxBytes: number
  readonly validate: Validate
}

/**
 * Reads a message and judges it by its schema. Throws {@link Malformed} and {@link Invalid}; neither repeats what was sent.
 */
export async function readMessage<Message extends { readonly request_id: string }>(
  request: MatchRequest,
  { type, maxBytes, validate }: MessageRules,
  sender: BodySender,
): Promise<Message> {
  const value = await readMatchJson(request, maxBytes, sender)
  if (!isObject(value)) throw new Malformed('The body has to be a JSON object.')
  if (value.type !== type) throw new Malformed(`type has to be ${type} at this address.`)
  const { request_id: requestId } = value
  if (typeof requestId !== 'string' || requestId === '') throw new Malformed('request_id has to be a text.')
  const issues = validate(value)
  if (isMessage<Message>(value, issues)) return value
  const [issue] = issues
  const field = issue ? fieldOf(issue.pointer) : ''
  throw new Invalid(requestId, `${field === '' ? 'the request' : field} ${issue?.message ?? 'is not valid'}`)
}

/** The schema describes the type that the caller names. */
function isMessage<Message>(_value: unknown, issues: readonly unknown[]): _value is Message {
  return issues.length === 0
}

/** The JSON of a body, for which its sender has its share of the room for bodies. Throws {@link Malformed}. */
export async function readMatchJson(request: MatchRequest, maxBytes: number, sender: BodySender): Promise<unknown> {
  try {
    return await parseMatchJsonInTurns(await readBody(request, { maxBytes, sender, mostMs: BODY_MS }))
  } catch (error) {
    throw malformed(error, maxBytes)
  }
}

function malformed(error: unknown, maxBytes: number): Malformed {
  if (error instanceof BodyTooLarge) return new Malformed(`The body is larger than ${maxBytes} bytes.`)
  if (error instanceof NoRoomForBody)
    return new Malformed('Too many large requests are on their way; try again.', 503, error.retryAfter)
  if (error instanceof BodyTooSlow) return new Malformed('The body took too long.')
  if (error instanceof BodyIncomplete) return new Malformed('The body was cut off.')
  return new Malformed(error instanceof Error ? `${error.message}.` : 'The body is not JSON.')
}
