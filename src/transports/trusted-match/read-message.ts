import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Validate } from '../../protocol/schemas.ts'
import type { MatchRequest } from './match-exchange.ts'
import { parseMatchJson } from './match-json.ts'

/** How long a body may take to arrive: messages have some hundred bytes. */
const BODY_MS = 5_000

/** A body that is no message of this path: HTTP 400, with the message. */
export class Malformed extends Error {}

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
): Promise<Message> {
  const value = await readBody(request, maxBytes)
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

/** The JSON of a body. Throws {@link Malformed}. */
export async function readBody(request: MatchRequest, maxBytes: number): Promise<unknown> {
  return parsed(await bodyOf(request, maxBytes))
}

function parsed(body: Buffer): unknown {
  try {
    return parseMatchJson(body)
  } catch (error) {
    throw new Malformed(error instanceof Error ? `${error.message}.` : 'The body is not JSON.')
  }
}

function bodyOf(request: MatchRequest, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isSettled = false
    const refuse = (message: string) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      reject(new Malformed(message))
    }
    const timer = setTimeout(() => refuse('The body took too long.'), BODY_MS)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) refuse(`The body is larger than ${maxBytes} bytes.`)
      else chunks.push(chunk)
    })
    request.on('end', () => {
      isSettled = true
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    for (const event of ['error', 'aborted', 'close'] as const) request.on(event, () => refuse('The body was cut off.'))
  })
}
