import type { IncomingMessage, ServerResponse } from 'node:http'
import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { SafePost } from '../net/safe-post.ts'
import { parentIn } from './remote-parent.ts'
import { writeTraceparent } from './traceparent.ts'

/** A handler of HTTP requests; the rest is what its transport knows of them. It may be done without a promise. */
export type Handler<Rest extends unknown[]> = (
  request: IncomingMessage,
  response: ServerResponse,
  ...rest: Rest
) => Promise<void> | undefined

/** The methods that are served; others are a caller's words. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The same handler in a span named for the route (`template`, never the path itself), by the HTTP conventions. */
export function traceHandler<Rest extends unknown[]>(tracer: Tracer, template: string, handle: Handler<Rest>): Handler<Rest> {
  return async (request, response, ...rest) => {
    const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : '_OTHER'
    const attributes = { 'http.request.method': method, 'http.route': template, 'url.scheme': schemeOf(request) }
    const name = `${method === '_OTHER' ? 'HTTP' : method} ${template}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentIn(request.headers.traceparent))
    try {
      await handle(request, response, ...rest)
      const { statusCode } = response
      span.setAttribute('http.response.status_code', statusCode)
      // What a caller did wrong is no error of a server's span.
      if (statusCode >= 500) span.setAttribute('error.type', String(statusCode)).setStatus({ code: SpanStatusCode.ERROR })
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER').setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
}

function schemeOf({ socket }: IncomingMessage): string {
  return 'encrypted' in socket ? 'https' : 'http'
}

/** The same function with a span for each POST, whose context the receiver gets. The address is the buyer's, so it is left out. */
export function tracePost(tracer: Tracer, post: SafePost): SafePost {
  return async (url, request) => {
    const span = tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes: { 'http.request.method': 'POST' } })
    try {
      const headers = { ...request.headers, traceparent: writeTraceparent(span.spanContext()) }
      const answer = await post(url, { ...request, headers })
      span.setAttribute('http.response.status_code', answer.status)
      if (answer.status >= 400) span.setAttribute('error.type', String(answer.status)).setStatus({ code: SpanStatusCode.ERROR })
      return answer
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER').setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
}
