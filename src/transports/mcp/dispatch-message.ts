import type { IncomingHttpHeaders } from 'node:http'
import { type Implementation, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import type { Dispatch, Outcome } from '../../pipeline/call.ts'
import type { NameReader } from '../../pipeline/read-names.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import { type Reply, transportErrorReply } from '../json-rpc/json-rpc.ts'
import { compactCall, findOperations } from './compact-profile.ts'
import type { ReadNamed } from './completions.ts'
import { toolResultJson } from './envelope.ts'
import { InProcessTransport, NO_TASKS } from './in-process-transport.ts'
import { type Route, routeMessage } from './route.ts'
import { createMcpServer } from './server.ts'
import { createToolList, type VisibleTasks } from './tools.ts'

export interface MessageDispatchOptions {
  readonly dispatch: Dispatch
  readonly readNames: NameReader
  /** Tasks visible to a caller, counted against its limits. May throw an AdcpError (a bad credential, a limit). */
  readonly listTasks: (credentials: TransportCredentials) => Promise<VisibleTasks>
  /** Rejects with the refusal of credentials that do not count, or of a method that has to be signed. */
  readonly checkCredentials: (credentials: TransportCredentials, method?: string) => Promise<void>
  readonly contracts: Contracts
  readonly serverInfo: Implementation
  /** Shown to the assistant on `initialize` and discovery. */
  readonly instructions?: string
}

/** What an HTTP request brings beside its messages. */
export interface Sender {
  readonly requestId: string
  readonly credentials: TransportCredentials
  readonly headers: IncomingHttpHeaders
  readonly publicTenant?: string
  /** Whether the address asks for two tools by which every task is reached. */
  readonly compact?: boolean
}

/** Answers one JSON-RPC message; a reply without body means accepted. @throws Refusal */
export type Answer = (message: unknown, sender: Sender) => Promise<Reply>

/** Requests whose answer depends on who asks, or is long enough to count as a call. */
const LISTINGS = new Set(['tools/list', 'resources/list', 'resources/read', 'prompts/list', 'prompts/get'])
const METHOD_NOT_FOUND = -32601

/**
 * Answers the messages of `/mcp`. `tools/call` goes straight to the pipeline and is serialised once; everything else goes to
 * long-lived server objects of the MCP SDK, one for each era, because the SDK keeps the era on the object.
 */
export function createMessageDispatch(options: MessageDispatchOptions): Answer {
  const legacy = new InProcessTransport()
  const modern = new InProcessTransport()
  const shared = { ...options, toolList: createToolList(options.contracts) }
  // Connecting in process has nothing to wait for: the handlers are in place when `connect` returns its promise.
  void createMcpServer({ ...shared, tasksOf: (id) => legacy.tasksOf(id), readOf: (id) => legacy.readOf(id) }, 'legacy').connect(
    legacy,
  )
  void createMcpServer({ ...shared, tasksOf: (id) => modern.tasksOf(id), readOf: (id) => modern.readOf(id) }, 'modern').connect(
    modern,
  )
  /** What 2026-07-28 wants on every result. */
  const modernMembers = `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: options.serverInfo })}`

  /** What the caller may see, counted as a call; of a `method` that lists nothing only the credentials are checked. A reply where they are refused. */
  const listed = async (
    credentials: TransportCredentials,
    id: string | number,
    method?: string,
  ): Promise<VisibleTasks | Reply> => {
    try {
      if (method === undefined || LISTINGS.has(method)) return await options.listTasks(credentials)
      await options.checkCredentials(credentials, method)
      return NO_TASKS
    } catch (error) {
      if (error instanceof AdcpError && error.http !== undefined)
        return transportErrorReply(error, id, options.contracts.base.recoveryOf)
      throw error
    }
  }

  const search = async ({ id, modern }: Extract<Route, { to: 'call' }>, query: string, sender: Sender): Promise<Reply> => {
    const visible = await listed(sender.credentials, id)
    if ('status' in visible) return visible
    const found = JSON.stringify(findOperations(shared.toolList.entriesOf(visible), query))
    const members = `"content":[{"type":"text","text":${JSON.stringify(found)}}],"structuredContent":${found}`
    return {
      status: 200,
      body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}${modern ? modernMembers : ''}}}`,
    }
  }

  const call = async (route: Extract<Route, { to: 'call' }>, sender: Sender): Promise<Reply> => {
    const { requestId, credentials, publicTenant } = sender
    const wanted = sender.compact ? compactCall(route.params) : { call: route.params }
    if ('search' in wanted) return search(route, wanted.search, sender)
    const { id, modern, revision } = route
    const params = wanted.call
    const outcome = await options.dispatch({
      requestId,
      transport: 'mcp',
      tool: params.name,
      arguments: params.arguments ?? {},
      ...(params._meta !== undefined && { meta: params._meta }),
      credentials,
      ...(publicTenant !== undefined && { publicTenant }),
    })
    if (!outcome.ok && outcome.error.http !== undefined)
      return transportErrorReply(outcome.error, id, outcome.recoveryOf, outcome.context)
    const result = await toolResultJson(outcome, revision, modern ? modernMembers : '')
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` }
  }

  /**
   * Completions read names of the caller's own orders and accounts: who may read them is judged as for a call of the task that lists them, so that nothing else looks at the credentials, since
   * a signature counts only once. Credentials that count for nothing are refused where nothing is read, too.
   */
  const complete = async ({ request, classification }: Extract<Route, { to: 'server' }>, sender: Sender): Promise<Reply> => {
    const { requestId, credentials, publicTenant } = sender
    let outcome: Outcome | undefined
    const read: ReadNamed = async (tool) => {
      const names = await options.readNames({
        requestId,
        transport: 'mcp',
        tool,
        credentials,
        ...(publicTenant !== undefined && { publicTenant }),
      })
      outcome = names.outcome
      return names.named
    }
    const answer = await (classification ? modern : legacy).exchange(request, { ...NO_TASKS, read }, classification)
    if (outcome === undefined) {
      const checked = await listed(credentials, request.id, request.method)
      if ('status' in checked) return checked
    } else if (!outcome.ok && outcome.error.http !== undefined) {
      return transportErrorReply(outcome.error, request.id, outcome.recoveryOf)
    }
    return { status: 200, body: JSON.stringify(answer) }
  }

  const ask = async ({ request, classification }: Extract<Route, { to: 'server' }>, sender: Sender): Promise<Reply> => {
    // A client learns of a bad key when it connects, not from the first call that an assistant makes with it.
    const visible = await listed(sender.credentials, request.id, request.method)
    if ('status' in visible) return visible
    const shown = sender.compact ? { ...visible, compact: true } : visible
    const answer = await (classification ? modern : legacy).exchange(request, shown, classification)
    const unknownMethod = 'error' in answer && answer.error.code === METHOD_NOT_FOUND
    // 2026-07-28 maps an unknown method to HTTP 404; for the 2025 clients 404 means a lost session.
    return { status: unknownMethod && classification ? 404 : 200, body: JSON.stringify(answer) }
  }

  return async (message, sender) => {
    const route = routeMessage(message, sender.headers)
    if (route.to === 'call') return call(route, sender)
    if (route.to === 'server' && route.request.method === 'completion/complete') return complete(route, sender)
    return route.to === 'server' ? ask(route, sender) : { status: 202 }
  }
}
