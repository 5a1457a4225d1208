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

/** First revision of MCP with `structuredContent`: clients of it need the data only once. */
const STRUCTURED_SINCE = '2025-06-18'

/**
 * The text of a tool result. Clients of an MCP revision that knows `structuredContent` get a summary of the data, or one copy of the error.
 * Older ones, and those that name no revision, get all of the structured content as JSON; so do principals that ask for it.
 */
function contentText(outcome: Outcome, revision: string | undefined): string {
  if (revision === undefined || revision < STRUCTURED_SINCE) return JSON.stringify(structuredContent(outcome))
  if (!outcome.ok) return JSON.stringify({ adcp_error: errorShapes(outcome.error).adcp_error })
  return outcome.summarize ? outcome.summarize(outcome.payload) : JSON.stringify(structuredContent(outcome))
}

/** A tool result as an object, for transports that serialise themselves (stdio). `revision` is the one of MCP that the client speaks. */
export function toolResult(outcome: Outcome, revision: string | undefined) {
  return {
    content: [{ type: 'text' as const, text: contentText(outcome, revision) }],
    structuredContent: { ...structuredContent(outcome) },
    ...(!outcome.ok && { isError: true }),
  }
}

/** A message in two parts: the text up to its id in ASCII, and the rest of it in UTF-8, which may be that of many messages. */
export interface SplitBody {
  readonly head: string
  readonly rest: Buffer
}

/** How a tool result is written. */
export interface ResultForm {
  /** Revision of MCP that the client speaks; undefined when it names none. */
  readonly revision: string | undefined
  /** Further members of the result, with a leading comma. */
  readonly extra?: string
}

/** Makes messages that hold a tool result. `head` is the message up to its id. */
export type ToolResultWriter = (outcome: Outcome, head: string, form: ResultForm) => string | SplitBody

/** A payload as JSON without its closing brace, and its summary as it stands inside a JSON string. */
interface WrittenPayload {
  readonly json: string
  summary?: string
  /** The rest of a message without context or further members, by the text that it has. */
  readonly bare: Map<'json' | 'summary', Buffer>
}

const ASCII = /^[\x20-\x7e]*$/

/**
 * A writer that remembers the text of frozen payloads, which tasks answer again and again; only the caller's `context` is written anew.
 */
export function toolResultWriter(): ToolResultWriter {
  const written = new WeakMap<object, WrittenPayload>()

  const writtenOf = (payload: object): WrittenPayload => {
    const known = written.get(payload)
    if (known) return known
    const json = JSON.stringify({ status: 'completed', ...payload }).slice(0, -1)
    const fresh: WrittenPayload = { json, bare: new Map() }
    written.set(payload, fresh)
    return fresh
  }

  return (outcome, head, { revision, extra = '' }) => {
    if (!outcome.ok || outcome.replayed || !Object.isFrozen(outcome.payload) || !ASCII.test(head)) {
      return `${head},"result":${toolResultJson(outcome, revision, extra)}}`
    }
    const { payload, summarize, context } = outcome
    const known = writtenOf(payload)
    const asSummary = summarize !== undefined && revision !== undefined && revision >= STRUCTURED_SINCE
    const rest = (end: string) => {
      if (asSummary) known.summary ??= inString(summarize(payload))
      const text = asSummary ? known.summary : inString(known.json + end)
      const data = `"structuredContent":${known.json}${end}${extra}`
      return Buffer.from(`,"result":{"content":[{"type":"text","text":"${text}"}],${data}}}`)
    }
    if (context !== undefined) return { head, rest: rest(`,"context":${JSON.stringify(context)}}`) }
    if (extra !== '') return { head, rest: rest('}') }
    const form = asSummary ? 'summary' : 'json'
    const bare = known.bare.get(form) ?? rest('}')
    known.bare.set(form, bare)
    return { head, rest: bare }
  }
}

/** A text as it stands inside a JSON string, without the quotes. */
function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A tool result as JSON text, written from scratch. */
export function toolResultJson(outcome: Outcome, revision: string | undefined, extra = ''): string {
  const json = JSON.stringify(structuredContent(outcome))
  const members = outcome.ok ? extra : `,"isError":true${extra}`
  const text = JSON.stringify(contentText(outcome, revision))
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${json}${members}}`
}
