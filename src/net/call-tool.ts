import type { FetchPolicy } from './fetch-policy.ts'
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
const CLIENT = { name: 'adcp-sales-agent', version: '0.1.0' }

/**
 * One `tools/call` over MCP Streamable HTTP, with the handshake that servers with sessions need. Throws FetchFailure, and Error when the
 * answer is not one of MCP.
 */
export async function callTool(safeFetch: SafeFetch, call: ToolCall): Promise<ToolAnswer> {
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
  const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT }
  const { mcpSessionId: session } = await send({ id: 1, method: 'initialize', params: hello })
  if (session !== undefined) await send({ method: 'notifications/initialized' }, session)
  const params = { name: call.tool, arguments: call.arguments }
  return toolAnswer(await send({ id: 2, method: 'tools/call', params }, session))
}

function toolAnswer(answer: FetchAnswer): ToolAnswer {
  if (answer.status !== 200) throw new Error(`the server answers ${answer.status}`)
  const result = member(replyIn(answer), 'result')
  if (result === undefined) throw new Error('the server refuses the call')
  const isError = member(result, 'isError') === true
  const structured = member(result, 'structuredContent')
  if (structured !== undefined) return { isError, payload: structured }
  const [text] = [member(result, 'content')].flat().map((block) => member(block, 'text'))
  if (typeof text !== 'string') throw new Error('the answer holds no payload')
  return { isError, payload: JSON.parse(text) }
}

/** The JSON-RPC reply with a result: the body itself, or the event of a stream that holds it. */
function replyIn({ contentType, body }: FetchAnswer): unknown {
  const text = body.toString('utf8')
  if (!/^text\/event-stream\b/i.test(contentType)) return JSON.parse(text)
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data): unknown => JSON.parse(data))
    .find((message) => member(message, 'result') !== undefined)
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
