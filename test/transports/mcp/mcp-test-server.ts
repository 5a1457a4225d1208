import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import type { Call, Outcome } from '../../../src/pipeline/call.ts'
import type { NameReader } from '../../../src/pipeline/read-names.ts'
import { peerOf } from '../../../src/platform/net/peer.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { createMcpHttpHandler, type McpHttpOptions } from '../../../src/transports/mcp/http.ts'
import { issueTasks } from './tasks.ts'

const contracts = loadContracts()
const { recoveryOf } = contracts.base

/** A pipeline in miniature: answers by tool name, so that a test can ask for each kind of outcome. */
export async function dispatchByName(call: Call): Promise<Outcome> {
  const request = call.arguments as { context?: unknown }
  const context = typeof request === 'object' && request?.context !== undefined ? { context: request.context } : {}
  const fail = (error: AdcpError): Outcome => ({ ok: false, error, recoveryOf, ...context })
  switch (call.tool) {
    case 'get_adcp_capabilities':
      return { ok: true, payload: { adcp: { major_versions: [3] }, seen: call.arguments }, replayed: false, ...context }
    case 'create_media_buy':
      return { ok: true, payload: { media_buy_id: 'mb_1', status: 'pending_start' }, replayed: true, ...context }
    case 'tasks/get':
    case 'get_task_status':
      return { ok: true, payload: { task_id: 't_1', status: 'submitted' }, replayed: false }
    case 'comply_test_controller':
      return { ok: true, payload: { success: false, error: 'INVALID_TRANSITION' }, replayed: false }
    case 'list_accounts':
      return fail(
        new AdcpError('AUTH_REQUIRED', 'Credentials are required', {
          http: { status: 401, headers: { 'www-authenticate': 'Bearer realm="test"' } },
        }),
      )
    case 'list_creatives':
      return fail(
        new AdcpError('RATE_LIMITED', 'Too many requests', {
          retryAfter: 7,
          http: { status: 429, headers: { 'retry-after': '7' } },
        }),
      )
    case 'update_media_buy':
      return fail(new AdcpError('IDEMPOTENCY_CONFLICT', 'The key was used with another payload'))
    case 'get_media_buys':
      return fail(new AdcpError('VALIDATION_ERROR', 'account is required', { field: 'account' }))
    default:
      return fail(new AdcpError('UNSUPPORTED_FEATURE', 'This agent has no such task'))
  }
}

/** The same, with a tool that shows what stdio made of the key. */
export async function dispatchForStdio(call: Call): Promise<Outcome> {
  const { authorization } = call.credentials
  if (call.tool !== 'get_products') return dispatchByName(call)
  return { ok: true, payload: { authorization, transport: call.transport }, replayed: false }
}

/** One order, named for the credentials of who asks. */
export const namesForStdio: NameReader = async ({ credentials: { authorization = '' } }) => ({
  outcome: { ok: true, payload: {}, replayed: false },
  named: { rows: [{ id: authorization, names: [] }], isCut: false },
})

export interface McpTestServer {
  readonly url: URL
  readonly calls: Call[]
  readonly server: Server
  readonly close: () => Promise<void>
}

/** Starts the MCP transport on a free loopback port. `calls` collects what reaches the pipeline. */
export async function startMcpTestServer(options: Partial<McpHttpOptions> = {}): Promise<McpTestServer> {
  const calls: Call[] = []
  let requests = 0
  const handler = createMcpHttpHandler({
    dispatch: dispatchByName,
    listTasks: async () => ({ tasks: issueTasks, authenticated: true }),
    contracts,
    serverInfo: { name: 'test-agent', version: '0.0.1' },
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'seller.example:443'],
    allowedOrigins: ['https://console.example'],
    maxBodyBytes: 1_000_000,
    aliasHeader: false,
    recoveryOf,
    peerOf: peerOf({ mode: 'development', trustedProxies: [] }),
    checkCredentials: async () => {},
    readNames: namesForStdio,
    log: pino({ level: 'silent' }),
    newRequestId: () => `r-${++requests}`,
    ...options,
    ...(!options.dispatch && {
      dispatch: (call: Call) => {
        calls.push(call)
        return dispatchByName(call)
      },
    }),
  })
  const server = createServer((request, response) => {
    const publicTenant = /^\/t\/([^/]+)\/mcp/.exec(request.url ?? '')?.[1]
    void handler(request, response, [], publicTenant === undefined ? {} : { publicTenant })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    calls,
    server,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Posts raw JSON-RPC. */
export async function post(url: URL, body: unknown, headers: Record<string, string> = {}) {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', body: raw, headers: { 'content-type': 'application/json', ...headers } })
  return {
    status: response.status,
    headers: response.headers,
    text: () => response.text(),
    json: (): Promise<Answer> => response.json() as Promise<Answer>,
  }
}

/** A JSON-RPC answer, loosely: tests look inside with matchers. */
// biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the tests are about
export type Answer = any

/** A `tools/call` message. */
export function toolCall(name: string, args: object = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}
