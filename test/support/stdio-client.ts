import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { dispatchOptions } from '../../src/compose/routes.ts'
import { serveStdio } from '../../src/transports/mcp/stdio.ts'
import type { TaskReply } from './client.ts'
import type { TestAgent } from './start-agent.ts'

export interface StdioClient {
  call(task: string, args?: unknown): Promise<Pick<TaskReply, 'data' | 'isError' | 'raw'>>
  close(): Promise<void>
}

/** Speaks MCP over the stdio transport of a running agent, as the principal of `key`, or as nobody. */
export async function stdioClient({ server }: TestAgent, key?: string): Promise<StdioClient> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connection = serveStdio({ ...dispatchOptions(server), key, log: server.log, newRequestId: randomUUID, input, output })
  // biome-ignore lint/suspicious/noExplicitAny: JSON-RPC replies
  const waiting = new Map<number, (reply: any) => void>()
  createInterface({ input: output }).on('line', (line) => {
    const reply = JSON.parse(line)
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  let id = 0
  // biome-ignore lint/suspicious/noExplicitAny: JSON-RPC replies
  const request = (method: string, params: object): Promise<any> =>
    new Promise((resolve) => {
      id += 1
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const clientInfo = { name: 'test', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return {
    async call(task, args = {}) {
      const raw = await request('tools/call', { name: task, arguments: args })
      return {
        raw,
        isError: raw.error !== undefined || raw.result?.isError === true,
        data: raw.result?.structuredContent ?? raw.error?.data ?? raw.error,
      }
    },
    async close() {
      input.end()
      await connection.close()
    },
  }
}
