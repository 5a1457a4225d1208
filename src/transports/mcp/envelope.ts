import type { Outcome } from '../../pipeline/call.ts'
import { afterText } from '../../platform/concurrency/yield-to-event-loop.ts'
import { errorShapes } from '../json-rpc/error-shapes.ts'
import type { JsonObject } from '../json-rpc/json.ts'

/**
 * What the caller reads in `structuredContent`. A payload's own `status` wins over `completed`: a media buy has one of its
 * own, and a submitted task says so. `context` is echoed only when the request had one.
 */
export function structuredContent(outcome: Outcome): JsonObject {
  const echo = outcome.context === undefined ? {} : { context: outcome.context }
  if (!outcome.ok) {
    const { error, recoveryOf, release } = outcome
    return {
      status: 'failed',
      ...(release !== undefined && { adcp_version: release }),
      ...errorShapes(error, recoveryOf, release),
      ...echo,
    }
  }
  return {
    ...(!outcome.closed && { status: 'completed' }),
    ...outcome.payload,
    ...echo,
    ...(outcome.replayed && { replayed: true }),
  }
}

/** First revision of MCP with `structuredContent`: clients of it need the data only once. */
const STRUCTURED_SINCE = '2025-06-18'

/**
 * The text of a tool result. Clients of an MCP revision that knows `structuredContent` get a summary of the data, or one copy of the error.
 * Older ones, and those that name no revision, get all of the structured content as JSON; so do principals that ask for it. What the call itself asks for
 * comes first.
 */
function contentText(outcome: Outcome, revision: string | undefined, json: string): string {
  const isOld = revision === undefined || revision < STRUCTURED_SINCE
  if (isOld && !(outcome.ok && outcome.textForm === 'summary')) return json
  if (!outcome.ok)
    return JSON.stringify({ adcp_error: errorShapes(outcome.error, outcome.recoveryOf, outcome.release).adcp_error })
  return outcome.summarize ? outcome.summarize() : json
}

/** A tool result as an object, for transports that serialise themselves (stdio). `revision` is the one of MCP that the client speaks. */
export function toolResult(outcome: Outcome, revision: string | undefined) {
  const content = structuredContent(outcome)
  return {
    content: [{ type: 'text' as const, text: contentText(outcome, revision, JSON.stringify(content)) }],
    structuredContent: { ...content },
    ...(!outcome.ok && { isError: true }),
  }
}

/** A tool result as JSON text; others are served between the passes over a long one. `extra`: further members of it, with a leading comma. */
export async function toolResultJson(outcome: Outcome, revision: string | undefined, extra = ''): Promise<string> {
  const json = JSON.stringify(structuredContent(outcome))
  await afterText(json)
  const members = outcome.ok ? extra : `,"isError":true${extra}`
  const text = JSON.stringify(contentText(outcome, revision, json))
  await afterText(text)
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${json}${members}}`
}
