import {
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { Outcome } from '../../pipeline/call.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { errorShapes } from '../json-rpc/error-shapes.ts'
import { Refusal, rpcCodeOf } from '../json-rpc/json-rpc.ts'
import { listCards, readCard } from './cards.ts'
import { CheckedServer } from './checked-server.ts'
import { complete, type ReadNamed } from './completions.ts'
import { toolResult } from './envelope.ts'
import { listPrompts, readPrompt } from './prompts.ts'
import { listSchemaResources, readSchemaResource, SCHEMA_TEMPLATE } from './schema-resources.ts'
import type { ToolList, VisibleTasks } from './tools.ts'

/** The one revision after the 2025 line; requests of it carry their protocol version in `_meta` instead of a handshake. */
export const MODERN_REVISION = '2026-07-28'

/** Long enough to spare an assistant the listing on every turn, short enough that a newly granted task shows soon. */
const LIST_TTL_MS = 60_000
/** Schemas change with a release only. */
const SCHEMA_TTL_MS = 86_400_000

export interface McpServerOptions {
  readonly serverInfo: Implementation
  readonly instructions?: string
  readonly contracts: Contracts
  readonly toolList: ToolList
  /** Tasks that the sender of a request may see. May throw an AdcpError (a bad credential). */
  readonly tasksOf: (requestId: unknown) => VisibleTasks | Promise<VisibleTasks>
  /** How the names that a task lists are read for the sender of a request; undefined where no answer needs that. */
  readonly readOf: (requestId: unknown) => ReadNamed | undefined
  /** Absent where `tools/call` goes straight to the pipeline. */
  readonly callTool?: (params: ToolCallParams) => Promise<Outcome>
}

/** `params` of a `tools/call`, as parsed. */
export interface ToolCallParams {
  readonly name: string
  readonly arguments?: unknown
  readonly _meta?: unknown
}

/** A server object bound to the 2026-07-28 revision for life, as the SDK's per-request entry binds its own. */
export class ModernServer extends CheckedServer {
  constructor(...parameters: ConstructorParameters<typeof CheckedServer>) {
    super(...parameters)
    this._negotiatedProtocolVersion = MODERN_REVISION
  }
}

/**
 * Builds an MCP server object over the tasks: tools, prompts, completions, schema resources, lifecycle. `era` binds it to the 2025 revisions
 * (`legacy`), to 2026-07-28 (`modern`), or leaves that to the entry that connects it (`unbound`).
 */
export function createMcpServer(options: McpServerOptions, era: 'legacy' | 'modern' | 'unbound'): Server {
  const Class = era === 'modern' ? ModernServer : CheckedServer
  const server = new Class(options.serverInfo, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    supportedProtocolVersions: era === 'modern' ? [...SUPPORTED_PROTOCOL_VERSIONS, MODERN_REVISION] : SUPPORTED_PROTOCOL_VERSIONS,
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'prompts/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'resources/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'resources/templates/list': { ttlMs: SCHEMA_TTL_MS, cacheScope: 'public' },
      'resources/read': { ttlMs: SCHEMA_TTL_MS, cacheScope: 'public' },
    },
    ...(options.instructions !== undefined && { instructions: options.instructions }),
  })
  const { callTool, toolList, contracts } = options
  server.setRequestHandler('tools/list', async ({ params }, { mcpReq }) => {
    refuseCursor(params?.cursor)
    return { tools: toolList.entriesOf(await visibleTasks(options, mcpReq.id)) }
  })
  if (callTool !== undefined) {
    server.setRequestHandler('tools/call', async ({ params }) =>
      toolResult(await callTool(params), server.getNegotiatedProtocolVersion()),
    )
  }
  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    refuseCursor(params?.cursor)
    const { tasks } = await visibleTasks(options, mcpReq.id)
    return { resources: [...listCards(tasks), ...listSchemaResources(tasks, contracts)] }
  })
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [SCHEMA_TEMPLATE] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const contents = readCard(params.uri) ?? readSchemaResource(params.uri, contracts)
    if (contents === undefined) throw new ResourceNotFoundError(params.uri)
    return { contents: [contents] }
  })
  server.setRequestHandler('prompts/list', async ({ params }, { mcpReq }) => {
    refuseCursor(params?.cursor)
    return { prompts: listPrompts(await visibleTasks(options, mcpReq.id)) }
  })
  server.setRequestHandler('prompts/get', async ({ params }, { mcpReq }) => {
    const visible = await visibleTasks(options, mcpReq.id)
    return refused(() => readPrompt(params.name, params.arguments ?? {}, visible))
  })
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => ({
    completion: await refused(() => complete(params, options.readOf(mcpReq.id), contracts)),
  }))
  return server
}

/** Refusals of the transport as JSON-RPC errors. */
async function refused<T>(answer: () => T | Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    throw error instanceof Refusal ? new ProtocolError(error.rpcCode, error.message) : error
  }
}

async function visibleTasks(options: McpServerOptions, requestId: unknown): Promise<VisibleTasks> {
  try {
    return await options.tasksOf(requestId)
  } catch (error) {
    if (!(error instanceof AdcpError)) throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
    throw new ProtocolError(rpcCodeOf(error), error.message, errorShapes(error, options.contracts.base.recoveryOf))
  }
}

/** Every list fits one page, so no cursor is ever ours (MCP, Pagination: an invalid cursor is -32602). */
function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor')
}
