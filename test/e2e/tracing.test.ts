import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'
import { type SpanCollector, startSpanCollector } from '../support/span-collector.ts'

/** Enough that both workers get some. */
const CALLS = 16

const line = new CommandLine()
let key: string
let collector: SpanCollector
beforeAll(async () => {
  key = (await line.json('init', '--demo')).key
})
afterAll(() => line.close())
beforeEach(async () => {
  collector = await startSpanCollector()
})
afterEach(() => collector.close())

/** Serves a call and ends in order; gives the modules of OpenTelemetry that the process had loaded (V8 reports every script). */
async function loadedBy(name: string, environment: Record<string, string>): Promise<string[]> {
  const coverage = join(line.folder, name)
  const server = await line.serve([], { NODE_V8_COVERAGE: coverage, ...environment })
  const reply = await agentClient(server.mcpUrl, key).call('get_products', { buying_mode: 'wholesale' })
  expect(reply.isError).toBe(false)
  await server.end()
  const urls = readdirSync(coverage).flatMap((file): string[] => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8'))
    return result.map(({ url }: { url: string }) => url)
  })
  expect(urls.some((url) => url.includes('/pino/'))).toBe(true)
  return urls.filter((url) => url.includes('opentelemetry'))
}

it('nothing of OpenTelemetry is loaded without a collector', async () => {
  expect(await loadedBy('off', { OTEL_SERVICE_NAME: 'ads' })).toEqual([])
})

it('with one it is, and what waits is sent when the process ends', async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.endpoint).origin, OTEL_RESOURCE_ATTRIBUTES: 'host.name=a' }
  expect(await loadedBy('on', environment)).not.toEqual([])
  const call = collector.spans.find(({ name }) => name === 'get_products')
  expect(call?.resource).toMatchObject({ 'service.name': 'adcp-sales-agent', 'host.name': 'a' })
})

it('every worker sends its own', async () => {
  const server = await line.serve(['--workers', '2'], { SALES_AGENT_TRACING_ENDPOINT: collector.endpoint })
  await vi.waitFor(() => expect(server.output()).toContain('"workers":2'), { timeout: 30_000 })
  // Connections go to the workers in turn.
  for (let count = 0; count < CALLS; count++) {
    const client = agentClient(server.mcpUrl, key)
    const params = { name: 'get_adcp_capabilities', arguments: {} }
    await (await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { connection: 'close' })).text()
  }
  await server.end()
  const calls = collector.spans.filter(({ name }) => name === 'get_adcp_capabilities')
  expect(calls).toHaveLength(CALLS)
  const pids = new Set(calls.map(({ resource }) => resource['process.pid']))
  expect(pids.size).toBe(2)
  expect(pids).not.toContain(server.pid)
})
