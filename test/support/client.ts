/** A reply of a task call: HTTP status, headers, and the tool result's structured content (or the JSON-RPC error). */
export interface TaskReply {
  readonly status: number
  readonly headers: Headers
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: replies are judged by assertions, whatever their shape
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: the whole JSON-RPC reply
  readonly raw: any
}

export interface AgentClient {
  /** Calls a task as a buyer agent does: one `tools/call` over HTTP. */
  call(task: string, args?: object, meta?: object): Promise<TaskReply>
  /** Sends any JSON-RPC message. */
  send(message: unknown, headers?: Record<string, string>): Promise<Response>
}

/** A plain JSON-RPC client; tests of the transport itself use the official MCP clients. */
export function agentClient(url: string, key?: string): AgentClient {
  const send = (message: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  return {
    send,
    async call(task, args = {}, meta) {
      const response = await send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: task, arguments: args, ...(meta && { _meta: meta }) },
      })
      // biome-ignore lint/suspicious/noExplicitAny: see above
      const raw: any = await response.json()
      return {
        status: response.status,
        headers: response.headers,
        isError: raw.error !== undefined || raw.result?.isError === true,
        data: raw.result?.structuredContent ?? raw.error?.data ?? raw.error,
        raw,
      }
    },
  }
}
