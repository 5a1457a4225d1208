import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpTestServer, post, startMcpTestServer, toolCall } from './mcp-test-server.ts'

let mcp: McpTestServer
beforeAll(async () => {
  mcp = await startMcpTestServer()
})
afterAll(() => mcp.close())

const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' }
const note = { jsonrpc: '2.0', method: 'notifications/initialized' }

test('each request is answered in order, a notification is not', async () => {
  const response = await post(mcp.url, [ping, note, toolCall('get_adcp_capabilities', {}, 2), toolCall('get_media_buys', {}, 3)])
  expect(response.status).toBe(200)
  const answers = await response.json()
  expect(answers.map(({ id }: { id: unknown }) => id)).toEqual(['p', 2, 3])
  expect(answers[1].result.structuredContent.status).toBe('completed')
  expect(answers[2].result.isError).toBe(true)
})

test('an authentication refusal of one element is the reply to all, and ends the batch', async () => {
  const before = mcp.calls.length
  const response = await post(mcp.url, [
    toolCall('get_adcp_capabilities'),
    toolCall('list_accounts', {}, 2),
    toolCall('get_adcp_capabilities', {}, 3),
  ])
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="test"')
  expect((await response.json()).error.code).toBe(-32028)
  expect(mcp.calls.length - before).toBe(2)
})

test('a rate-limited element does not hide the others; where all are, the status says so', async () => {
  const some = await post(mcp.url, [toolCall('get_adcp_capabilities'), toolCall('list_creatives', {}, 2)])
  expect(some.status).toBe(200)
  expect((await some.json())[1].error.code).toBe(-32029)
  const all = await post(mcp.url, [toolCall('list_creatives'), toolCall('list_creatives', {}, 2)])
  expect(all.status).toBe(429)
  expect(all.headers.get('retry-after')).toBe('7')
})

test('notifications alone: 202', async () => {
  expect((await post(mcp.url, [note, note])).status).toBe(202)
})

test('a malformed tools/call in a batch is an error of its own', async () => {
  const answers = await (await post(mcp.url, [ping, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} }])).json()
  expect(answers[0].result).toEqual({})
  expect(answers[1]).toMatchObject({ id: 2, error: { code: -32602 } })
})

test.each([
  [
    'initialize',
    [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      },
      ping,
    ],
  ],
  ['a 2026-07-28 request', [{ ...ping, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }]],
  ['more than 100 messages', Array.from({ length: 101 }, () => ping)],
])('a batch with %s: 400', async (_case, batch) => {
  const response = await post(mcp.url, batch)
  expect(response.status).toBe(400)
  expect((await response.json()).error.code).toBe(-32600)
})
