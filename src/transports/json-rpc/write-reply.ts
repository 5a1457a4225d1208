import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondAndClose, respondAtOnce } from '../http/respond.ts'
import type { Reply } from './json-rpc.ts'

/**
 * Writes a reply and ends the exchange. `given`: names and values in turn of headers that the response does not have yet; set one by one they
 * would cost more than all that is written at once.
 */
export function writeReply(response: ServerResponse, reply: Reply, requestId: string, given: readonly string[] = []): void {
  const body = bytesOf(reply)
  respondAtOnce(response, reply.status, [...given, ...headersOf(reply, requestId, body.length)], body)
}

/** Writes a reply to a request whose body is not wanted, and closes the connection. */
export function writeAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  requestId: string,
  given: readonly string[] = [],
): void {
  const body = bytesOf(reply)
  respondAndClose(request, response, reply.status, [...given, ...headersOf(reply, requestId, body.length)], body)
}

/** The body, encoded once: its length is a header, and node would join text with the headers and encode both again. */
function bytesOf({ body = '' }: Reply): Buffer {
  return Buffer.from(body)
}

function headersOf({ headers, body }: Reply, requestId: string, length: number): string[] {
  const all = headers ? Object.entries(headers).flat() : []
  all.push('x-request-id', requestId, 'cache-control', 'no-store')
  if (body !== undefined) all.push('content-type', 'application/json')
  all.push('content-length', String(length))
  return all
}
