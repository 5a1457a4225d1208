import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SplitBody } from '../mcp/envelope.ts'
import type { Reply } from './json-rpc.ts'

/** How long a refused upload is still read, so that its sender gets to the reply before the connection goes. */
const LINGER_MS = 500

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

/**
 * Writes a reply to a request whose body is not wanted, discards what still comes for a moment, and closes the connection.
 * Closing at once would reset it, and most clients then lose the reply.
 */
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
  const close = () => {
    clearTimeout(timer)
    response.end(() => request.socket.destroySoon())
  }
  const timer = setTimeout(close, LINGER_MS)
  request.once('end', close).once('close', close).resume()
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
