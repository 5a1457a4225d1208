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

/** Makes tool results as JSON text. The content is serialised once and used for both of its places. */
export type ToolResultWriter = (outcome: Outcome, extra?: string) => string

/**
 * A writer that keeps the text of frozen payloads, which tasks answer again and again; only the caller's `context` is written anew.
 * `extra` holds further members of the result, with a leading comma.
 */
export function toolResultWriter(): ToolResultWriter {
  const written = new WeakMap<object, { readonly json: string; readonly escaped: string }>()

  const keptText = (payload: object): { json: string; escaped: string } => {
    const known = written.get(payload)
    if (known) return known
    const json = JSON.stringify({ status: 'completed', ...payload })
    const text = { json, escaped: JSON.stringify(json) }
    written.set(payload, text)
    return text
  }

  return (outcome, extra = '') => {
    if (!outcome.ok || outcome.replayed || !Object.isFrozen(outcome.payload)) return toolResultJson(outcome, extra)
    const { json, escaped } = keptText(outcome.payload)
    if (outcome.context === undefined) return resultOf(json, escaped, extra)
    // The echo goes before the closing brace, in the object and in its escaped copy (which ends in `}"`).
    const echo = `,"context":${JSON.stringify(outcome.context)}}`
    return resultOf(json.slice(0, -1) + echo, escaped.slice(0, -2) + JSON.stringify(echo).slice(1), extra)
  }
}

function resultOf(json: string, escaped: string, extra: string): string {
  return `{"content":[{"type":"text","text":${escaped}}],"structuredContent":${json}${extra}}`
}

/** A tool result as JSON text, written from scratch. */
export function toolResultJson(outcome: Outcome, extra = ''): string {
  const json = JSON.stringify(structuredContent(outcome))
  return resultOf(json, JSON.stringify(json), outcome.ok ? extra : `,"isError":true${extra}`)
}
