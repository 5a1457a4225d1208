import type { Steps } from '../concurrency/steps.ts'
import { inTurns } from '../concurrency/yield-to-event-loop.ts'
import { foreignJsonInSteps, largeJson } from '../decode/foreign-json.ts'
import type { FetchPolicy } from './fetch-policy.ts'
import { findEvent } from './find-event.ts'
import type { FetchAnswer, SafeFetch } from './safe-fetch.ts'

export interface ToolCall {
  readonly url: string
  readonly tool: string
  readonly arguments: object
  readonly policy: FetchPolicy
  /** Whole value of the header; without it the call is anonymous. */
  readonly authorization?: string | undefined
}

/** What a tool gave: its payload, and whether the server calls it an error. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly payload: unknown
}

/** A revision of MCP that servers of every age speak; newer ones answer it too. */
const REVISION = '2025-03-26'
const CLIENT = { name: 'adcp-sales-agent', version: '1.0.0-rc.1' }

/**
 * One `tools/call` over MCP Streamable HTTP, with the handshake that servers with sessions need. Throws FetchFailure, and Error when the
 * answer is not one of MCP.
 */
export async function callTool(safeFetch: SafeFetch, call: ToolCall): Promise<ToolAnswer> {
  const { ask } = await connect(safeFetch, call)
  return toolAnswer(await ask('tools/call', { name: call.tool, arguments: call.arguments }))
}

/** Pages of a list of tools that are asked for; agents have some dozens of tools. */
const MOST_PAGES = 5

/** The name that a server gives itself, and the names of its tools. Throws as {@link callTool} does. */
export async function listTools(
  safeFetch: SafeFetch,
  call: Pick<ToolCall, 'url' | 'policy' | 'authorization'>,
): Promise<{ readonly serverName: string | undefined; readonly tools: readonly string[] }> {
  const { ask, hello } = await connect(safeFetch, call)
  const tools: string[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES && (page === 0 || typeof cursor === 'string'); page += 1) {
    const answer = await ask('tools/list', cursor === undefined ? {} : { cursor })
    if (answer.status !== 200) throw new Error(`the server answers ${answer.status}`)
    const result = member(await replyIn(answer), 'result')
    const listed = member(result, 'tools')
    if (!Array.isArray(listed)) throw new Error('the server lists no tools')
    tools.push(...listed.map((tool) => member(tool, 'name')).filter((name) => typeof name === 'string'))
    cursor = member(result, 'nextCursor')
  }
  const info = member(hello.status === 200 ? member(await replyIn(hello), 'result') : undefined, 'serverInfo')
  const name = member(info, 'title') ?? member(info, 'name')
  return { serverName: typeof name === 'string' ? name : undefined, tools }
}

async function connect(safeFetch: SafeFetch, call: Pick<ToolCall, 'url' | 'policy' | 'authorization'>) {
  const send = (message: object, session?: string) =>
    safeFetch(call.url, {
      policy: call.policy,
      accept: 'application/json, text/event-stream',
      post: {
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': REVISION,
          ...(call.authorization !== undefined && { authorization: call.authorization }),
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
      },
    })
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT }
  const hello = await send({ id: 1, method: 'initialize', params })
  const session = hello.mcpSessionId
  if (session !== undefined) await send({ method: 'notifications/initialized' }, session)
  let id = 1
  const ask = (method: string, params: object) => {
    id += 1
    return send({ id, method, params }, session)
  }
  return { ask, hello }
}

async function toolAnswer(answer: FetchAnswer): Promise<ToolAnswer> {
  if (answer.status !== 200) throw new Error(`the server answers ${answer.status}`)
  const result = member(await replyIn(answer), 'result')
  if (result === undefined) throw new Error('the server refuses the call')
  const isError = member(result, 'isError') === true
  const structured = member(result, 'structuredContent')
  if (structured !== undefined) return { isError, payload: structured }
  const [text] = [member(result, 'content')].flat().map((block) => member(block, 'text'))
  if (typeof text !== 'string') throw new Error('the answer holds no payload')
  return { isError, payload: await jsonOf(text) }
}

/** The JSON-RPC reply with a result: the body itself, or the event of a stream that holds it. Read in turns between which others are served. */
async function replyIn({ contentType, body }: FetchAnswer): Promise<unknown> {
  const text = body.toString('utf8')
  if (!/^text\/event-stream\b/i.test(contentType)) return jsonOf(text)
  return inTurns(findEvent(text, replyOf))
}

function* replyOf(data: string): Steps<unknown> {
  const message = yield* foreignJsonInSteps(data, boundsOf(data))
  return member(message, 'result') === undefined ? undefined : message
}

function boundsOf({ length }: string) {
  return { what: 'the answer', maxBytes: length }
}

function jsonOf(text: string): Promise<unknown> {
  return largeJson(text, boundsOf(text))
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
