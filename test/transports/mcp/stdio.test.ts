import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { serveStdio } from '../../../src/transports/mcp/stdio.ts'
import { dispatchForStdio, namesForStdio } from './mcp-test-server.ts'
import { issueTasks } from './tasks.ts'

const INFO = { name: 'test-client', version: '1' }
const command = {
  command: process.execPath,
  args: ['--import', 'tsx', new URL('./stdio-server.ts', import.meta.url).pathname, 'the-key'],
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>
  getPrompt(params: { name: string; arguments: object }): Promise<{ messages: { content: object }[] }>
  complete(params: object): Promise<{ completion: { values: string[] } }>
  close(): Promise<void>
}

async function useIt(client: AnyClient) {
  expect((await client.listTools()).tools.length).toBeGreaterThan(10)
  const product = await client.callTool({ name: 'get_products', arguments: {} })
  expect(product).toMatchObject({
    structuredContent: { status: 'completed', authorization: 'Bearer the-key', transport: 'stdio' },
  })
  const refused = await client.callTool({ name: 'list_accounts', arguments: {} })
  expect(refused).toMatchObject({ isError: true, structuredContent: { status: 'failed', adcp_error: { code: 'AUTH_REQUIRED' } } })
  const prompt = await client.getPrompt({ name: 'check_pacing', arguments: {} })
  expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('get_media_buy_delivery') })
  const of = { ref: { type: 'ref/prompt' as const, name: 'check_pacing' }, argument: { name: 'media_buy_id', value: '' } }
  expect((await client.complete(of)).completion.values).toEqual(['Bearer the-key'])
  await client.close()
}

describe('a spawned process', { timeout: 60_000 }, () => {
  test('serves the 1.x client', async () => {
    const client = new Client(INFO)
    await client.connect(new StdioClientTransport(command) as never)
    await useIt(client as unknown as AnyClient)
  })

  test('writes nothing but messages to stdout and exits when its input ends', async () => {
    const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('"id":2')) child.stdin.end()
    })
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\nthis is no JSON\n`)
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {} } })}\n`,
    )
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2])
  })
})

/** A connection over pipes in this process, as the principal of `key`. */
function connectPipes(key: string | undefined) {
  const input = new PassThrough()
  const output = new PassThrough()
  const connection = serveStdio({
    dispatch: dispatchForStdio,
    listTasks: async () => ({ tasks: issueTasks, authenticated: true }),
    readNames: namesForStdio,
    contracts: loadContracts(),
    serverInfo: { name: 'test-agent', version: '0.0.1' },
    key,
    log: pino({ level: 'silent' }),
    newRequestId: () => 'r-1',
    input,
    output,
  })
  return { connection, input, output }
}

test('the 2.x client is served on 2026-07-28', async () => {
  const { connection, input, output } = connectPipes('the-key')
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  // The SDK's pipe transport is the same from both ends.
  await client.connect(new StdioServerTransport(output, input))
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  await useIt(client as unknown as AnyClient)
  await connection.close()
})

test('tools/call works without initialize, and close ends the connection', async () => {
  const { connection, input, output } = connectPipes(undefined)
  input.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {} } })}\n`,
  )
  const [line] = await once(output, 'data')
  expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { structuredContent: { status: 'completed' } } })
  await connection.close()
  await connection.closed
})
