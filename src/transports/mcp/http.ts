import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondEmpty } from '../http/respond.ts'
import { answerFailure, type JsonPostOptions, jsonPostReader } from '../json-rpc/json-post.ts'
import { idOf, type RequestId } from '../json-rpc/json-rpc.ts'
import { writeReply } from '../json-rpc/write-reply.ts'
import { answerBatch } from './batch.ts'
import { createMessageDispatch, type MessageDispatchOptions, type Sender } from './dispatch-message.ts'

export interface McpHttpOptions extends MessageDispatchOptions, JsonPostOptions {
  readonly newRequestId: () => string
}

/**
 * Answers one HTTP request on `/mcp`, or on `/t/{publicTenant}/mcp` when a tenant is given; `compact` for those ending in `/mcp/compact`. Never rejects.
 */
export type McpHttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** Names and values in turn, for every reply. */
  headers: readonly string[],
  at?: McpAddress,
) => Promise<void>

/** What the path says beside `/mcp`. */
export type McpAddress = Pick<Sender, 'publicTenant' | 'compact'>

/**
 * The Streamable HTTP transport of MCP: stateless, JSON replies, for the 2025 revisions and 2026-07-28. Written on `node:http`
 * because the SDK's own transport builds a server object for each request, which costs more than the rest of a call.
 */
export function createMcpHttpHandler(options: McpHttpOptions): McpHttpHandler {
  const answer = createMessageDispatch(options)
  const read = jsonPostReader(options)

  return async (request, response, headers, at) => {
    const requestId = options.newRequestId()
    let id: RequestId = null
    if (answeredForPage(request, response, options.allowedOrigins)) return
    try {
      const { message, credentials } = await read(request)
      id = idOf(message)
      const sender: Sender = { requestId, credentials, headers: request.headers, ...at }
      writeReply(
        response,
        await (Array.isArray(message) ? answerBatch(message, sender, answer, options.recoveryOf) : answer(message, sender)),
        requestId,
        headers,
      )
    } catch (error) {
      answerFailure({ request, response, headers }, error, { requestId, id }, options)
    }
  }
}

/**
 * Lets pages of the origins that the operator allows read replies, the challenge among them, and answers what their browser asks first
 * (CORS). Returns whether that was all. Tokens come in a header that such a page sets itself, so no cookie is involved.
 */
function answeredForPage(request: IncomingMessage, response: ServerResponse, allowedOrigins: readonly string[]): boolean {
  const { origin, 'access-control-request-method': asked } = request.headers
  if (origin === undefined || !allowedOrigins.some((each) => each.toLowerCase() === origin.toLowerCase())) return false
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', 'www-authenticate, retry-after')
  response.setHeader('Vary', 'Origin')
  if (request.method !== 'OPTIONS' || asked === undefined) return false
  const headers = 'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name'
  respondEmpty(response, 204, { 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': headers })
  return true
}
