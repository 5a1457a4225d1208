import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { agentCaller } from '../../../src/features/first-buy/agent-caller.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'

type Reply = { readonly status?: number; readonly error?: object }

const CAPABILITIES = {
  adcp: { major_versions: [3], idempotency: { supported: false } },
  supported_protocols: ['signals'],
}
const schemas = new Schemas()
const waits: number[] = []
const sent: string[] = []
let replies: Reply[] = []
let agent: Server

/** An agent over MCP that answers with the next of the replies, and with its capabilities when none is left. */
beforeAll(async () => {
  agent = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString())
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    if (method !== 'tools/call') return answer(200, { result: {} })
    sent.push(JSON.stringify(params.arguments))
    const reply = replies.shift()
    if (reply?.status !== undefined) {
      return answer(reply.status, { error: { code: -32029, message: 'Too many', data: { adcp_error: reply.error } } })
    }
    const payload = reply ? { adcp_error: reply.error } : CAPABILITIES
    return answer(200, { result: { isError: reply !== undefined, structuredContent: payload } })
  }).listen(0, '127.0.0.1')
  await once(agent, 'listening')
})
afterAll(() => agent.close())
beforeEach(() => {
  for (const list of [waits, sent]) list.length = 0
})

const call = (waitMs = 60_000) => {
  const { port } = agent.address() as AddressInfo
  const sleep = async (ms: number) => {
    waits.push(ms)
  }
  return agentCaller(`http://127.0.0.1:${port}/mcp`, 'key', { schemas, sleep, waitMs })('get_adcp_capabilities', {
    context: { a: 1 },
  })
}
const error = (code: string, more: object = {}) => ({ error: { code, message: 'not now', ...more } })

it('waits out transient errors, over HTTP statuses too, and repeats the very same call', async () => {
  replies = [
    error('RATE_LIMITED', { recovery: 'transient', retry_after: 1.2 }),
    { status: 429, ...error('RATE_LIMITED', { retry_after: 7 }) },
    error('X_OF_ITS_OWN'),
  ]
  expect(await call()).toEqual(CAPABILITIES)
  expect(waits).toEqual([2_000, 7_000, 4_000])
  expect(new Set(sent)).toEqual(new Set(['{"context":{"a":1}}']))
})

it.each([
  [
    'a request that has to be corrected',
    error('BUDGET_TOO_LOW', { recovery: 'correctable', retry_after: 1 }),
    'BUDGET_TOO_LOW: not now',
  ],
  ['a class that it does not know', error('RATE_LIMITED', { recovery: 'eventually' }), 'RATE_LIMITED: not now'],
  [
    'a delay that is longer than it waits',
    error('RATE_LIMITED', { recovery: 'transient', retry_after: 90 }),
    'RATE_LIMITED: not now',
  ],
])('does not repeat %s', async (_what, reply, message) => {
  replies = [reply]
  await expect(call()).rejects.toThrow(`get_adcp_capabilities failed: ${message}`)
  expect(waits).toEqual([])
})

it('gives up after three repetitions', async () => {
  replies = Array.from({ length: 4 }, () => error('SERVICE_UNAVAILABLE', { recovery: 'transient' }))
  await expect(call()).rejects.toThrow('SERVICE_UNAVAILABLE: not now')
  expect(waits).toEqual([1_000, 2_000, 4_000])
})
