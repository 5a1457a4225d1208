import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerBatch } from './batch.ts'
import { answerFailure, type JsonPostOptions, jsonPostReader } from './json-post.ts'
import { idOf, type RequestId } from './json-rpc.ts'
import { createLanes, type LaneOptions, type Sender } from './lanes.ts'
import { writeReply } from './write-reply.ts'

export interface McpHttpOptions extends LaneOptions, JsonPostOptions {
  readonly newRequestId: () => string
}

/**
 * Answers one HTTP request on `/mcp`, or on `/t/{publicTenant}/mcp` when a tenant is given. Never rejects.
 */
export type McpHttpHandler = (request: IncomingMessage, response: ServerResponse, publicTenant?: string) => Promise<void>

/**
 * The Streamable HTTP door of MCP: stateless, JSON replies, for the 2025 revisions and 2026-07-28. Written on `node:http`
 * because the SDK's own transport builds a server object for each request, which costs more than the rest of a call.
 */
export function createMcpHttpHandler(options: McpHttpOptions): McpHttpHandler {
  const answer = createLanes(options)
  const read = jsonPostReader(options)

  return async (request, response, publicTenant) => {
    const requestId = options.newRequestId()
    let id: RequestId = null
    try {
      const { message, credentials } = await read(request)
      id = idOf(message)
      const sender: Sender = {
        requestId,
        credentials,
        headers: request.headers,
        ...(publicTenant !== undefined && { publicTenant }),
      }
      writeReply(
        response,
        await (Array.isArray(message) ? answerBatch(message, sender, answer) : answer(message, sender)),
        requestId,
      )
    } catch (error) {
      answerFailure({ request, response }, error, { requestId, id }, options)
    }
  }
}
