import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { parentIn } from '../platform/tracing/remote-parent.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Call, Outcome } from './call.ts'
import type { CallSpans } from './call-spans.ts'
import type { Result, State } from './state.ts'

/**
 * Spans of calls, named for their task, and of the steps inside them, each within the one before. They hold names, ids that this server
 * made and error codes: nothing that a caller chose, and nothing of a tenant. Attributes are those of the RPC conventions where there are any.
 */
export function createCallSpans(tracer: Tracer): CallSpans {
  /** Runs a step within a span; one that rejects is marked, as are those around it. */
  const within = async (state: State, name: string, run: (state: State) => Promise<Result>): Promise<Result> => {
    const parent = state.trace ?? ROOT_CONTEXT
    const span = tracer.startSpan(name, {}, parent)
    try {
      return await run({ ...state, trace: trace.setSpan(parent, span) })
    } catch (error) {
      markFailed(span, error instanceof AdcpError ? error.code : nameOf(error))
      throw error
    } finally {
      span.end()
    }
  }
  return {
    step: (step) => (state, next) => within(state, step.name, (inner) => step(inner, next)),
    handler: (handle) => (state) => within(state, 'handle', handle),
    async answer(state, recorded, plain) {
      const parent = parentOf(state.call)
      const options = { kind: SpanKind.SERVER, attributes: attributesOf(state) }
      const span = tracer.startSpan(state.task?.name ?? 'unknown', options, parent)
      if (!span.isRecording()) return plain(state)
      try {
        state.log.note({ trace: span.spanContext().traceId })
        const outcome = await recorded({ ...state, trace: trace.setSpan(parent, span) })
        describe(span, outcome)
        return outcome
      } finally {
        span.end()
      }
    },
  }
}

/** W3C `traceparent` of the HTTP request, else the one in the `_meta` of an MCP call. */
function parentOf({ credentials, meta }: Call): Context {
  const { rawHeaders } = credentials
  const sent: unknown[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'traceparent') sent.push(rawHeaders[index + 1])
  if (sent.length > 0) return parentIn(sent.length === 1 ? sent[0] : undefined)
  return parentIn(typeof meta === 'object' && meta !== null && 'traceparent' in meta ? meta.traceparent : undefined)
}

/** RPC conventions: an unknown method is `_OTHER`, since its name is the caller's. */
function attributesOf({ call, task }: Pick<State, 'call' | 'task'>): Record<string, string> {
  return {
    ...(call.transport !== 'http' && { 'rpc.system.name': 'jsonrpc' }),
    'rpc.method': task?.name ?? '_OTHER',
    'adcp.transport': call.transport,
    'adcp.request_id': call.requestId,
  }
}

function describe(span: Span, outcome: Outcome): void {
  if (outcome.ok) {
    span.setAttribute('adcp.outcome', 'ok').setAttribute('adcp.replayed', outcome.replayed)
    return
  }
  const { code } = outcome.error
  span.setAttribute('adcp.outcome', code).setAttribute('adcp.replayed', false)
  markFailed(span, code)
}

/** The code alone: messages name what callers sent. */
function markFailed(span: Span, code: string): void {
  span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code })
}

/** The class of an unexpected error. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER'
}
