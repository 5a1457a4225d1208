import type { FetchPolicy } from '../net/fetch-policy.ts'
import type { FetchAnswer, SafeFetch } from '../net/safe-fetch.ts'

/** AdCP key discovery: capabilities are at most 64 KiB; no redirects, 5 s to connect, 10 s for each step. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 64 * 1024,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 10_000,
  contentTypes: undefined,
}

/** A revision that servers of every age speak; newer ones answer it too. */
const REVISION = '2025-03-26'

/**
 * Asks an agent for its AdCP capabilities over MCP, without credentials: initialize (so that a server with sessions answers),
 * then one `tools/call`. Gives the payload; throws when there is none.
 */
export async function capabilitiesOf(agentUrl: string, safeFetch: SafeFetch): Promise<unknown> {
  const send = (message: object, session?: string) =>
    safeFetch(agentUrl, {
      policy: POLICY,
      accept: 'application/json, text/event-stream',
      post: {
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': REVISION,
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
      },
    })
  const clientInfo = { name: 'adcp-sales-agent', version: '0.1.0' }
  const hello = await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: REVISION, capabilities: {}, clientInfo },
  })
  if (hello.mcpSessionId !== undefined) await send({ method: 'notifications/initialized' }, hello.mcpSessionId)
  const call = { id: 2, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {} } }
  return payloadOf(await send(call, hello.mcpSessionId))
}

function payloadOf(answer: FetchAnswer): unknown {
  if (answer.status !== 200) throw new Error(`answers ${answer.status}`)
  const result = member(replyIn(answer), 'result')
  if (result === undefined || member(result, 'isError') === true) throw new Error('refuses get_adcp_capabilities')
  const structured = member(result, 'structuredContent')
  if (structured !== undefined) return structured
  const [text] = [member(result, 'content')].flat().map((block) => member(block, 'text'))
  if (typeof text !== 'string') throw new Error('has no capabilities in its answer')
  return JSON.parse(text)
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
