import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonContentType } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { claimsSignature } from '../../auth/signing-policy.ts'
import { AdcpError } from '../../errors.ts'
import type { PeerOf } from '../../net/peer.ts'
import type { TransportCredentials } from '../../pipeline/task.ts'
import { JsonRefused, parseJson } from '../http/parse-json.ts'
import { BodyIncomplete, BodyTooLarge, readBody } from '../http/read-body.ts'
import { authorizationOf } from './authorization.ts'
import { answerBatch } from './batch.ts'
import { type HostPolicy, hostCheck } from './host-policy.ts'
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  idOf,
  PARSE_ERROR,
  Refusal,
  type Reply,
  type RequestId,
  refusalReply,
  TRANSPORT_ERROR,
  transportErrorReply,
} from './json-rpc.ts'
import { createLanes, type LaneOptions, type Sender } from './lanes.ts'
import { writeAndClose, writeReply } from './write-reply.ts'

export interface McpHttpOptions extends LaneOptions, HostPolicy {
  readonly maxBodyBytes: number
  /** Whether a Bearer token may come in the old `x-adcp-auth` header. */
  readonly aliasHeader: boolean
  readonly peerOf: PeerOf
  /** Rejects with the refusal of credentials that do not count. */
  readonly checkCredentials: (credentials: TransportCredentials) => Promise<void>
  readonly log: Logger
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
  const checkHost = hostCheck(options)

  return async (request, response, publicTenant) => {
    const requestId = options.newRequestId()
    let id: RequestId = null
    try {
      checkHost(request.headers.host, request.headers.origin)
      checkTarget(request)
      const signed = claimsSignature(request.rawHeaders)
      if (!signed) checkContent(request)
      const body = await readBody(request, options.maxBodyBytes)
      const credentials = credentialsOf(request, body, options)
      const message = signed ? await readSigned(request, credentials, body, options) : parseJson(body)
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
      if (error instanceof BodyIncomplete) {
        response.destroy()
        return
      }
      const reply = replyTo(error, id, options)
      options.log[reply.status >= 500 ? 'error' : 'info'](
        { requestId, status: reply.status, ...(reply.status >= 500 && { err: error }) },
        'mcp request refused',
      )
      if (request.complete) writeReply(response, reply, requestId)
      else writeAndClose(request, response, reply, requestId)
    }
  }
}

/** @throws Refusal for a request to nothing that is served */
function checkTarget({ method, url = '' }: IncomingMessage): void {
  if (method !== 'POST') throw new Refusal(405, TRANSPORT_ERROR, 'Only POST is served here', { headers: { allow: 'POST' } })
  // URLs end up in logs and histories, and credentials in them with it; nothing legitimate needs a query here.
  if (url.includes('?')) throw new Refusal(400, INVALID_REQUEST, 'The URL must not carry a query')
}

/** @throws Refusal for a body that no JSON-RPC message can come out of */
function checkContent({ headers }: IncomingMessage): void {
  if (!isJsonContentType(headers['content-type']))
    throw new Refusal(415, TRANSPORT_ERROR, 'The Content-Type must be application/json')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(415, TRANSPORT_ERROR, 'The body must not be compressed')
}

/**
 * A signed message that cannot be read is judged by its signature first: faults of what was signed have their own codes, and
 * the nonce is burned all the same (AdCP verifier steps 1 and 14).
 */
async function readSigned(
  request: IncomingMessage,
  credentials: TransportCredentials,
  body: Uint8Array,
  options: McpHttpOptions,
): Promise<unknown> {
  try {
    checkContent(request)
    return parseJson(body)
  } catch (error) {
    await options.checkCredentials(credentials)
    throw error
  }
}

function replyTo(error: unknown, id: RequestId, { maxBodyBytes }: McpHttpOptions): Reply {
  if (error instanceof Refusal) return refusalReply(error, id)
  if (error instanceof AdcpError && error.http !== undefined) return transportErrorReply(error, id)
  if (error instanceof BodyTooLarge)
    return refusalReply(new Refusal(413, TRANSPORT_ERROR, `The body is larger than ${maxBodyBytes} bytes`), null)
  if (error instanceof JsonRefused) {
    const rpcCode = error.fault === 'syntax' || error.fault === 'encoding' ? PARSE_ERROR : INVALID_REQUEST
    return refusalReply(new Refusal(400, rpcCode, error.message), null)
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'Internal error' } })
  return { status: 500, body }
}

/** What the verifiers of `auth/` need. */
function credentialsOf(
  request: IncomingMessage,
  body: Uint8Array,
  { aliasHeader, peerOf }: McpHttpOptions,
): TransportCredentials {
  const { headers, rawHeaders, method = '', url = '' } = request
  const { address, certificate } = peerOf(request)
  return {
    authorization: authorizationOf(headers, rawHeaders, aliasHeader),
    rawHeaders,
    method,
    target: url,
    body,
    remoteAddress: address,
    clientCertificate: certificate,
  }
}
