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

/** A tool result as JSON text. The content is serialised once and used for both of its places. */
export function toolResultJson(outcome: Outcome, extra = ''): string {
  const json = JSON.stringify(structuredContent(outcome))
  const flag = outcome.ok ? '' : ',"isError":true'
  return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}${flag}${extra}}`
}
