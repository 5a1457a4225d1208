import type { IncomingMessage } from 'node:http'
import { type Implementation, SERVER_INFO_META_KEY, type Server, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Arguments } from '../../features/registry/arguments.ts'
import type { Operation } from '../../features/registry/contract.ts'
import { asRegistryRefusal } from '../../features/registry/refusal.ts'
import type { Registry, RegistryCaller } from '../../features/registry/registry.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Schema } from '../../protocol/schemas.ts'
import type { IdentifyPlatform } from '../../security/auth/platform-identity.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import type { Route } from '../http/server.ts'
import { answerFailure, type JsonPostOptions, jsonPostReader } from '../json-rpc/json-post.ts'
import { INVALID_PARAMS, idOf, type Reply, type RequestId } from '../json-rpc/json-rpc.ts'
import { writeReply } from '../json-rpc/write-reply.ts'
import { CheckedServer } from './checked-server.ts'
import { InProcessTransport, NO_TASKS } from './in-process-transport.ts'
import { type Route as McpRoute, routeMessage } from './route.ts'
import { MODERN_REVISION, ModernServer } from './server.ts'

export interface RegistryMcpOptions extends JsonPostOptions {
  readonly registry: Registry
  readonly identify: IdentifyPlatform
  readonly clock: () => Date
  readonly serverInfo: Implementation
  readonly newRequestId: () => string
}

const INSTRUCTIONS =
  'AdCP registry: agents, brands and publishers. list_agents finds agents; resolve_brand and resolve_property ask by domain.'

/**
 * The registry over MCP: the same operations as over HTTP, those of the description that name a tool. Every message needs a platform identity.
 */
export function registryMcpRoute(options: RegistryMcpOptions): Route {
  const read = jsonPostReader(options)
  const tools = new Map(
    options.registry.operations.flatMap((each) => (each.tool === undefined ? [] : [[each.tool, each] as const])),
  )
  const legacy = connect(new CheckedServer(options.serverInfo, serverOptions(false)), tools)
  const modern = connect(new ModernServer(options.serverInfo, serverOptions(true)), tools)
  const modernMembers = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: options.serverInfo } }

  const answer = async (route: McpRoute, caller: RegistryCaller): Promise<Reply> => {
    if (route.to === 'none') return { status: 202 }
    if (route.to === 'server') {
      const reply = await (route.classification ? modern : legacy).exchange(route.request, NO_TASKS, route.classification)
      return { status: 200, body: JSON.stringify(reply) }
    }
    const operation = tools.get(route.params.name)
    const envelope = { jsonrpc: '2.0', id: route.id }
    if (!operation) {
      const error = { code: INVALID_PARAMS, message: 'there is no such tool' }
      return { status: 200, body: JSON.stringify({ ...envelope, error }) }
    }
    const result = await callTool(options, operation, route.params.arguments, caller)
    return { status: 200, body: JSON.stringify({ ...envelope, result: { ...result, ...(route.modern && modernMembers) } }) }
  }

  return async (request: IncomingMessage, response) => {
    const requestId = options.newRequestId()
    let id: RequestId = null
    try {
      const { message, credentials } = await read(request)
      id = idOf(message)
      const caller = await callerOf(options, credentials, requestId)
      writeReply(response, await answer(routeMessage(message, request.headers), caller), requestId)
    } catch (error) {
      answerFailure({ request, response }, error, { requestId, id }, options)
    }
  }
}

/** A caller without an identity gets no further: the audit log has that. */
async function callerOf(
  { identify, clock, registry }: RegistryMcpOptions,
  credentials: TransportCredentials,
  requestId: string,
): Promise<RegistryCaller> {
  const caller = { address: credentials.remoteAddress ?? '', requestId, transport: 'mcp' }
  try {
    return { ...caller, identity: await identify(credentials, clock()) }
  } catch (error) {
    registry.refused(undefined, asRegistryRefusal(error)?.code ?? 'internal_error', caller)
    throw error
  }
}

async function callTool(
  { registry, log }: RegistryMcpOptions,
  operation: Operation,
  given: unknown,
  caller: RegistryCaller,
): Promise<object> {
  const args: Arguments = { ...operation.toolDefaults, ...(isObject(given) && given) }
  try {
    const { body } = await registry.perform(operation, args, caller)
    return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body }
  } catch (error) {
    const refusal = asRegistryRefusal(error)
    if (!refusal) log.error({ err: error }, 'the registry failed')
    registry.refused(operation, refusal?.code ?? 'internal_error', caller)
    const body = refusal?.body ?? { error: 'the registry failed; try again later', code: 'internal_error' }
    return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body, isError: true }
  }
}

function serverOptions(modern: boolean) {
  return {
    capabilities: { tools: {} },
    supportedProtocolVersions: modern ? [...SUPPORTED_PROTOCOL_VERSIONS, MODERN_REVISION] : SUPPORTED_PROTOCOL_VERSIONS,
    instructions: INSTRUCTIONS,
  }
}

/** Pages of a tool are short: an assistant reads all of them. */
function toolSchema({ argumentsSchema, parameters, toolDefaults }: Operation): Schema {
  if (Object.keys(toolDefaults).length === 0) return argumentsSchema
  const defaults = parameters.map(({ name, schema }) => {
    const { 'x-mcp-default': short, ...rest } = schema
    return [name, short === undefined ? schema : { ...rest, default: short }]
  })
  return { ...argumentsSchema, properties: Object.fromEntries(defaults) }
}

function connect(server: Server, tools: ReadonlyMap<string, Operation>): InProcessTransport {
  const transport = new InProcessTransport()
  const listed = [...tools].map(([name, operation]) => ({
    name,
    description: [operation.summary, operation.description].filter((text) => text !== undefined).join('. '),
    inputSchema: { ...toolSchema(operation), type: 'object' as const },
    annotations: { readOnlyHint: !operation.needsIdentity },
  }))
  server.setRequestHandler('tools/list', async () => ({ tools: listed }))
  // Connecting in process has nothing to wait for: the handlers are in place when `connect` returns its promise.
  void server.connect(transport)
  return transport
}
