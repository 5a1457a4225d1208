import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import {
  classifyInboundRequest,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isObject } from '../../protocol/is-object.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRequestId,
  Refusal,
  TRANSPORT_ERROR,
  UNSUPPORTED_PROTOCOL_VERSION,
} from '../json-rpc/json-rpc.ts'
import type { Classification } from './in-process-transport.ts'
import { MODERN_REVISION, type ToolCallParams } from './server.ts'

/** Where a message goes: straight to the pipeline, to the long-lived server object, or nowhere (accepted and done). */
export type Route =
  | {
      readonly to: 'call'
      readonly id: string | number
      readonly params: ToolCallParams
      readonly modern: boolean
      /** Of MCP, as the request names it. */
      readonly revision: string | undefined
    }
  | { readonly to: 'server'; readonly request: JSONRPCRequest; readonly classification?: Classification }
  | { readonly to: 'none' }

const NO_ANSWER: Route = { to: 'none' }

/** Which body member `Mcp-Name` repeats (MCP 2026-07-28, Streamable HTTP, standard request headers). */
const NAME_SOURCE: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/**
 * Decides one JSON-RPC message by revision and method. The plain `tools/call` of the 2025 revisions is decided by hand;
 * everything else is classified by the MCP SDK.
 * @throws Refusal for what is no message, or breaks the revision that it claims
 */
export function routeMessage(message: unknown, headers: IncomingHttpHeaders): Route {
  const version = headerOf(headers, 'mcp-protocol-version')
  if (isPlainCall(message) && isLegacyVersion(version))
    return { to: 'call', id: message.id, params: message.params, modern: false, revision: version }
  const mcpMethodHeader = headerOf(headers, 'mcp-method')
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
  })
  if (outcome.kind === 'reject') {
    throw new Refusal(outcome.httpStatus, outcome.code, outcome.message, isObject(outcome.data) ? { data: outcome.data } : {})
  }
  if (outcome.kind === 'modern') {
    if (outcome.messageKind === 'notification') return NO_ANSWER
    return modernRoute(outcome.message, outcome.classification, headers)
  }
  if (outcome.reason === 'notification' || outcome.reason === 'response') return NO_ANSWER
  return legacyRoute(message, outcome.reason === 'initialize' ? undefined : version)
}

function legacyRoute(message: unknown, version: string | undefined): Route {
  if (!isLegacyVersion(version))
    throw new Refusal(400, TRANSPORT_ERROR, 'The MCP-Protocol-Version header names a revision that this server does not speak')
  if (!isRequest(message)) throw new Refusal(400, INVALID_REQUEST, 'The body is not a JSON-RPC message')
  if (message.method !== 'tools/call') return { to: 'server', request: message }
  return { to: 'call', id: message.id, params: callParams(message.params), modern: false, revision: version }
}

function modernRoute(request: JSONRPCRequest, classification: Classification, headers: IncomingHttpHeaders): Route {
  const requested = classification.revision
  if (requested !== MODERN_REVISION) {
    const data = { supported: [MODERN_REVISION], requested: requested ?? 'unknown' }
    throw new Refusal(400, UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', { data })
  }
  checkStandardHeaders(request, headers)
  if (request.method !== 'tools/call') return { to: 'server', request, classification }
  return { to: 'call', id: request.id, params: callParams(request.params), modern: true, revision: requested }
}

/** MCP 2026-07-28 wants version, method and name repeated in headers, so that intermediaries can route without the body. */
function checkStandardHeaders(request: JSONRPCRequest, headers: IncomingHttpHeaders): void {
  for (const name of ['mcp-protocol-version', 'mcp-method']) {
    if (headerOf(headers, name) === undefined) throw new Refusal(400, HEADER_MISMATCH, `The required header ${name} is missing`)
  }
  const source = NAME_SOURCE.get(request.method)
  const value = source === undefined ? undefined : request.params?.[source]
  if (source === undefined || typeof value !== 'string') return
  const header = headerOf(headers, 'mcp-name')
  if (header === undefined) throw new Refusal(400, HEADER_MISMATCH, 'The required header mcp-name is missing')
  if (decodeHeader(header) !== value) throw new Refusal(400, HEADER_MISMATCH, `The header mcp-name and params.${source} disagree`)
}

/** Values that a header cannot hold travel as `=?base64?…?=`. */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

function callParams(params: unknown): ToolCallParams {
  if (!isCallParams(params)) throw new Refusal(400, INVALID_PARAMS, 'params.name of tools/call must be a string')
  return params
}

function isCallParams(params: unknown): params is ToolCallParams & JsonObject {
  return isObject(params) && typeof params.name === 'string'
}

function isRequest(message: unknown): message is JSONRPCRequest {
  return isObject(message) && typeof message.method === 'string' && isRequestId(message.id)
}

/** A `tools/call` without the per-request envelope of 2026-07-28. */
function isPlainCall(message: unknown): message is { id: string | number; params: ToolCallParams } {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call') return false
  const params = message.params
  if (!isRequestId(message.id) || !isCallParams(params)) return false
  return !isObject(params._meta) || !(PROTOCOL_VERSION_META_KEY in params._meta)
}

function isLegacyVersion(version: string | undefined): boolean {
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}
