import type { TaskReply } from './client.ts'

export interface A2aReply extends TaskReply {
  /** The A2A task, when there is one. */
  // biome-ignore lint/suspicious/noExplicitAny: judged by assertions
  readonly task: any
}

export interface A2aTestClient {
  /** Calls a task as an AdCP buyer does over A2A 0.3: one `message/send` with one data part. */
  call(skill: string, parameters?: unknown): Promise<A2aReply>
  /** Sends any JSON-RPC request. */
  rpc(method: string, params?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Sends any body. */
  post(body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>
}

/** A plain JSON-RPC client of the A2A transport behind an agent's MCP address; tests of the transport itself use the official clients. */
export function a2aClient(mcpUrl: string, key?: string): A2aTestClient {
  const url = mcpUrl.replace(/\/mcp$/, '/a2a')
  const post: A2aTestClient['post'] = (body, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key !== undefined && { Authorization: `Bearer ${key}` }), ...headers },
      body: typeof body === 'string' ? body : Buffer.from(body),
    })
  const rpc: A2aTestClient['rpc'] = (method, params = {}, headers) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)
  return {
    post,
    rpc,
    async call(skill, parameters = {}) {
      const response = await rpc('message/send', { message: skillMessage(skill, parameters) })
      // biome-ignore lint/suspicious/noExplicitAny: the whole JSON-RPC reply
      const raw: any = await response.json()
      const task = raw.result
      return {
        status: response.status,
        headers: response.headers,
        isError: raw.error !== undefined || dataOf(task)?.adcp_error !== undefined,
        data: task ? dataOf(task) : (raw.error?.data ?? raw.error),
        raw,
        task,
      }
    },
  }
}

/** A message of A2A 0.3 that calls a task. */
export function skillMessage(skill: string, parameters: unknown, more: object = {}) {
  const parts = [{ kind: 'data' as const, data: { skill, parameters } }]
  return { kind: 'message' as const, role: 'user' as const, messageId: 'message-1', parts, ...more }
}

/** What a task's artifact holds: its last data part counts (AdCP A2A response extraction). */
// biome-ignore lint/suspicious/noExplicitAny: judged by assertions
export function dataOf(task: { artifacts?: readonly { parts: readonly any[] }[] }): any {
  return task.artifacts?.[0]?.parts.findLast((part) => part.data !== undefined || part.content?.$case === 'data')?.data
}
