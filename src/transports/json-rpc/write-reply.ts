import type { IncomingMessage, ServerResponse } from 'node:http'
import { endAndClose } from '../http/end-and-close.ts'
import type { SplitBody } from '../mcp/envelope.ts'
import type { Reply } from './json-rpc.ts'

/**
 * Writes a reply and ends the exchange. `given`: names and values in turn of headers that the response does not have yet; set one by one they
 * would cost more than all that is written at once.
 */
export function writeReply(response: ServerResponse, reply: Reply, requestId: string, given: readonly string[] = []): void {
  const { head, rest } = partsOf(reply)
  response.writeHead(reply.status, [...given, ...headersOf(reply, requestId, head.length + rest.length)])
  if (head !== '') response.write(head, 'latin1')
  response.end(rest)
}

/** Writes a reply to a request whose body is not wanted, and closes the connection. */
export function writeAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  requestId: string,
  given: readonly string[] = [],
): void {
  const { head, rest } = partsOf(reply)
  const headers = headersOf(reply, requestId, head.length + rest.length)
  response.writeHead(reply.status, [...given, ...headers, 'connection', 'close'])
  if (head !== '') response.write(head, 'latin1')
  response.write(rest)
  endAndClose(request, response)
}

/**
 * The body as ASCII text, which node joins with the headers, and bytes. Other text is encoded once: its length is a header, and node
 * would join it with the headers and encode both again.
 */
function partsOf({ body = '' }: Reply): SplitBody {
  return typeof body === 'string' ? { head: '', rest: Buffer.from(body) } : body
}

function headersOf({ headers, body }: Reply, requestId: string, length: number): string[] {
  const all = headers ? Object.entries(headers).flat() : []
  all.push('x-request-id', requestId, 'cache-control', 'no-store')
  if (body !== undefined) all.push('content-type', 'application/json')
  all.push('content-length', String(length))
  return all
}
