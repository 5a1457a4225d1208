import { type AdcpError, toWireError } from '../../errors.ts'
import type { Outcome } from '../../pipeline/task.ts'
import type { JsonObject } from './json.ts'

/**
 * The same error in its three places: `adcp_error` and `errors[]` (AdCP error handling, transport errors) and the plain
 * `error`. On IDEMPOTENCY_CONFLICT `adcp_error` holds code and message alone: the official checks take any further
 * member for a hint at the stored request.
 */
export function errorShapes(error: AdcpError): JsonObject {
  const wire = toWireError(error)
  const { code, message, recovery } = wire
  return {
    adcp_error: code === 'IDEMPOTENCY_CONFLICT' ? { code, message } : wire,
    errors: [wire],
    error: { code, message, recovery },
  }
}

/**
 * What the caller reads in `structuredContent`. A payload's own `status` wins over `completed`: a media buy has one of its
 * own, and a submitted task says so. `context` is echoed only when the request had one.
 */
export function structuredContent(outcome: Outcome): JsonObject {
  const echo = outcome.context === undefined ? {} : { context: outcome.context }
  if (!outcome.ok) return { status: 'failed', ...errorShapes(outcome.error), ...echo }
  return { status: 'completed', ...outcome.payload, ...echo, ...(outcome.replayed && { replayed: true }) }
}

/** A tool result as an object, for transports that serialise themselves (stdio). */
export function toolResult(outcome: Outcome) {
  const content = structuredContent(outcome)
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(content) }],
    structuredContent: { ...content },
    ...(!outcome.ok && { isError: true }),
  }
}

/** What stands around a tool result in its message. */
export interface Frame {
  readonly before: string
  readonly after: string
  /** Further members of the result, each with a leading comma. */
  readonly extra?: string
}

/** Makes messages that hold a tool result, as JSON. The content is serialised once and used for both of its places. */
export type ToolResultWriter = (outcome: Outcome, frame: Frame) => string | Buffer

/** A payload as JSON without its closing brace, and the same once more as the inside of a JSON string; UTF-8. */
interface Kept {
  readonly json: Buffer
  readonly escaped: Buffer
}

/**
 * A writer that keeps the bytes of frozen payloads, which tasks answer again and again; only the caller's `context` is written anew.
 */
export function toolResultWriter(): ToolResultWriter {
  const written = new WeakMap<object, Kept>()

  const keptBytes = (payload: object): Kept => {
    const known = written.get(payload)
    if (known) return known
    const json = JSON.stringify({ status: 'completed', ...payload }).slice(0, -1)
    const kept = { json: Buffer.from(json), escaped: Buffer.from(inString(json)) }
    written.set(payload, kept)
    return kept
  }

  return (outcome, { before, after, extra = '' }) => {
    if (!outcome.ok || outcome.replayed || !Object.isFrozen(outcome.payload)) {
      return `${before}${toolResultJson(outcome, extra)}${after}`
    }
    const { json, escaped } = keptBytes(outcome.payload)
    const end = outcome.context === undefined ? '}' : `,"context":${JSON.stringify(outcome.context)}}`
    return Buffer.concat([
      Buffer.from(`${before}{"content":[{"type":"text","text":"`),
      escaped,
      Buffer.from(`${inString(end)}"}],"structuredContent":`),
      json,
      Buffer.from(`${end}${extra}}${after}`),
    ])
  }
}

/** A text as it stands inside a JSON string, without the quotes. */
function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A tool result as JSON text, written from scratch. */
export function toolResultJson(outcome: Outcome, extra = ''): string {
  const json = JSON.stringify(structuredContent(outcome))
  const members = outcome.ok ? extra : `,"isError":true${extra}`
  return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}${members}}`
}
