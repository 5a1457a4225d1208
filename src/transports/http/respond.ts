import { hash } from 'node:crypto'
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { pipeline } from 'node:stream/promises'
import { jsonInSteps } from '../../platform/concurrency/steps.ts'
import { afterText, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Channel } from '../../platform/net/peer.ts'
import { endAndClose } from './end-and-close.ts'
import { matchesEntityTag } from './entity-tag.ts'

/** Names as they are usually written; one that is given goes before what the kind of answer has by itself. */
type Headers = Readonly<OutgoingHttpHeaders>

/** A whole body and its media type. */
export interface Whole {
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers?: Headers | undefined
}

/** Security headers of every reply (OWASP secure headers; most replies are data; pages set policies of their own). */
const PLAIN_HEADERS: readonly string[] = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
}).flat()

/** Over https also RFC 6797; one year is what the preload lists ask for. Over plain HTTP browsers ignore it (§8.1). */
const HTTPS_HEADERS = [...PLAIN_HEADERS, 'Strict-Transport-Security', 'max-age=31536000; includeSubDomains']

/** Names and values in turn of the security headers of every reply on a channel. */
export function securityHeaders(channel: Channel): readonly string[] {
  return channel === 'tls' || channel === 'proxy' ? HTTPS_HEADERS : PLAIN_HEADERS
}

/** Lets others frame a page, as far as its policy says so (CSP `frame-ancestors`), unlike everything else here. */
export function allowFraming(response: ServerResponse): void {
  response.removeHeader('X-Frame-Options')
}

/** Answers with a body that comes in pieces of the length that the headers say. A reader that goes away ends its own answer only. `HEAD` reads no piece. */
export async function respondPieces(
  response: ServerResponse,
  status: number,
  headers: Headers & { readonly 'Content-Length': number },
  pieces: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') response.end()
  else await pipeline(pieces(), response).catch(() => response.destroy())
}

/**
 * Writes a whole answer, which nobody keeps unless a header says so. `HEAD` gets the same headers and no body. Where the body of the request was refused
 * (`readBody` leaves it paused), the connection ends with the answer, over HTTP/2 the stream.
 */
export function respond(response: ServerResponse | Http2ServerResponse, status: number, { type, body, headers }: Whole): void {
  const bytes = Buffer.from(body)
  const isRefused = response.req.isPaused() && !response.req.complete
  const isStream = !(response instanceof ServerResponse)
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    ...headers,
    ...(isRefused && !isStream && { Connection: 'close' }),
  })
  if (response.req.method === 'HEAD') response.end()
  else if (!isRefused) response.end(bytes)
  else if (isStream) response.end(bytes, () => response.stream.close())
  else {
    response.write(bytes)
    endAndClose(response.req, response)
  }
}

export function respondJson(response: ServerResponse, status: number, value: unknown, headers?: Headers): void {
  respond(response, status, { type: 'application/json', body: JSON.stringify(value), headers })
}

/** As {@link respondJson}, in turns between which others are served, where lists of the value may be long. */
export async function respondLongJson(response: ServerResponse, status: number, value: object, headers?: Headers): Promise<void> {
  const body = await inTurns(jsonInSteps(value))
  await afterText(body)
  respond(response, status, { type: 'application/json', body, headers })
}

/** Answers with problem details (RFC 9457). `title`: what kind of problem; `detail`: what is wrong here. */
export function respondProblem(
  response: ServerResponse,
  problem: { readonly title: string; readonly status: number; readonly detail: string },
  headers?: Headers,
): void {
  const body = JSON.stringify({ type: 'about:blank', ...problem })
  respond(response, problem.status, { type: 'application/problem+json', body, headers })
}

export function respondPage(response: ServerResponse, status: number, page: string, headers?: Headers): void {
  respond(response, status, { type: 'text/html; charset=utf-8', body: page, headers })
}

export function respondText(response: ServerResponse, status: number, text: string, headers?: Headers): void {
  respond(response, status, { type: 'text/plain; charset=utf-8', body: text, headers })
}

/** An answer without a body: a preflight, a redirect, what has not changed, a method that is not served. */
export function respondEmpty(response: ServerResponse, status: number, headers: Headers = {}): void {
  const length = status === 204 || status === 304 ? {} : { 'Content-Length': 0 }
  response.writeHead(status, { ...length, ...headers }).end()
}

/** Sends a browser elsewhere; 303 after a form. */
export function redirect(response: ServerResponse, location: string, status: 302 | 303 = 303, headers?: Headers): void {
  respondEmpty(response, status, { Location: location, 'Cache-Control': 'no-store', ...headers })
}

/** Whether a request only reads; what does not is refused with 405. */
export function readsOnly(request: IncomingMessage, response: ServerResponse): boolean {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (!reads) respondEmpty(response, 405, { Allow: 'GET, HEAD' })
  return reads
}

/** Answers a request for a document that clients keep: 304 to those that have it as it is (RFC 9110 §13.1.2). `lasting`: what the tag is of, where not of all of the body. */
export function respondTagged(
  request: IncomingMessage,
  response: ServerResponse,
  {
    type,
    body,
    headers,
    lasting = body,
  }: Whole & { readonly headers: Headers & { readonly 'Cache-Control': string }; readonly lasting?: Whole['body'] },
): void {
  const tag = `"${hash('sha256', lasting, 'base64url').slice(0, 22)}"`
  const kept = { ...headers, ETag: tag }
  if (matchesEntityTag(request.headers['if-none-match'], tag)) respondEmpty(response, 304, kept)
  else respond(response, 200, { type, body, headers: kept })
}

/** Answers a request whose body is not wanted, and closes the connection. `headers`: names and values in turn. */
export function respondAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  body: Uint8Array | string,
): void {
  response.writeHead(status, [...headers, 'Connection', 'close'])
  response.write(body)
  endAndClose(request, response)
}

/**
 * Writes an answer whose headers are all known: names and values in turn. Set one by one, they would cost more than all that is written
 * at once.
 */
export function respondAtOnce(response: ServerResponse, status: number, headers: readonly string[], body?: Uint8Array): void {
  response.writeHead(status, [...headers])
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/** Begins a stream of events (HTML Living Standard §9.2), which proxies neither keep nor collect. */
export function beginEvents(response: ServerResponse, headers?: Headers): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    ...headers,
  })
}

/** Writes events, and waits until their reader has taken them or is gone: what nobody takes does not pile up in memory. */
export async function writeEvents(response: ServerResponse, events: string | Uint8Array): Promise<void> {
  if (response.destroyed || response.write(typeof events === 'string' ? Buffer.from(events) : events)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.once('drain', done).once('close', done)
  })
}
