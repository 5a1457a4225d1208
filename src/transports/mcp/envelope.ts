import type { Outcome } from '../../pipeline/task.ts'
import { type AdcpError, toWireError } from '../../protocol/errors.ts'
import type { JsonObject } from '../json-rpc/json.ts'

/**
 * The same error in its three places: `adcp_error` and `errors[]` (AdCP error handling, transport errors) and the plain
 * `error`. On IDEMPOTENCY_CONFLICT `adcp_error` holds code and message alone: the official checks take any further
 * member for a hint at the stored request. An error that stands for several has each of them in `errors[]`.
 */
export function errorShapes(error: AdcpError): JsonObject {
  const wire = toWireError(error)
  const { code, message, recovery } = wire
  return {
    adcp_error: code === 'IDEMPOTENCY_CONFLICT' ? { code, message } : wire,
    errors: error.faults?.map(toWireError) ?? [wire],
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

/** A message in two parts: the text up to its id in ASCII, and the rest of it in UTF-8, which may be that of many messages. */
export interface SplitBody {
  readonly head: string
  readonly rest: Buffer
}

const ASCII = /^[\x20-\x7e]*$/

/** Makes messages that hold a tool result. `head` is the message up to its id, `extra` further members of the result with a leading comma. */
export type ToolResultWriter = (outcome: Outcome, head: string, extra?: string) => string | SplitBody

/** A payload as JSON without its closing brace, the same as the inside of a JSON string, and the rest of a message without context. */
interface Kept {
  readonly json: string
  readonly escaped: string
  bare?: Buffer
}

/**
 * A writer that keeps the text of frozen payloads, which tasks answer again and again; only the caller's `context` is written anew.
 * The content is serialised once and used for both of its places.
 */
export function toolResultWriter(): ToolResultWriter {
  const written = new WeakMap<object, Kept>()

  const keptText = (payload: object): Kept => {
    const known = written.get(payload)
    if (known) return known
    const json = JSON.stringify({ status: 'completed', ...payload }).slice(0, -1)
    const kept = { json, escaped: inString(json) }
    written.set(payload, kept)
    return kept
  }

  return (outcome, head, extra = '') => {
    if (!outcome.ok || outcome.replayed || !Object.isFrozen(outcome.payload) || !ASCII.test(head)) {
      return `${head},"result":${toolResultJson(outcome, extra)}}`
    }
    const kept = keptText(outcome.payload)
    const rest = (end: string) => {
      const { json, escaped } = kept
      return Buffer.from(
        `,"result":{"content":[{"type":"text","text":"${escaped}${inString(end)}"}],"structuredContent":${json}${end}${extra}}}`,
      )
    }
    if (outcome.context !== undefined) return { head, rest: rest(`,"context":${JSON.stringify(outcome.context)}}`) }
    if (extra !== '') return { head, rest: rest('}') }
    kept.bare ??= rest('}')
    return { head, rest: kept.bare }
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
