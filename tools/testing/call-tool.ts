// biome-ignore lint/suspicious/noExplicitAny: what an agent answers is read member by member
export type Answer = any

/** A buyer of an agent, by the agent's origin and the token of its key. */
export interface Caller {
  readonly origin: string
  readonly token: string
  /** How long an answer is waited for, in milliseconds. */
  readonly answerMs: number
}

/** Calls a tool over MCP, without a session. Undefined: the answer was none of a tool. Rejects when there is no answer in time. */
export async function callTool({ origin, token, answerMs }: Caller, name: string, args: object): Promise<Answer> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    signal: AbortSignal.timeout(answerMs),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  const body: Answer = await response.json()
  return Object(body).result?.structuredContent
}
