import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConformanceReport } from '@adcp/sdk/conformance'
import { describe, expect, test } from 'vitest'
import { checksIn, failedChecks } from '../../tools/conformance/checks.ts'
import { complaintsOf, faultOf, type Reply, unhandledIn } from '../../tools/fuzz/judge.ts'
import { observe } from '../../tools/fuzz/observe.ts'

const stats = (accepted: number, rejected: number) => ({
  runs: accepted + rejected,
  accepted,
  rejected,
  failed: 0 as const,
  skipped: false,
})
const report = (more: Partial<ConformanceReport>): ConformanceReport => ({
  agentUrl: 'http://127.0.0.1:1/mcp',
  seed: 42,
  schemaVersion: '3.0.6',
  protocol: 'mcp',
  turnBudget: 10,
  fixturesUsed: {},
  autoSeeded: true,
  seedWarnings: [],
  totalRuns: 10,
  totalFailures: 0,
  droppedFailures: 0,
  perTool: {},
  failures: [],
  uniformError: [],
  startedAt: '',
  completedAt: '',
  durationMs: 1,
  ...more,
})

describe('complaintsOf', () => {
  test('a read tool must accept something, a write need not, a skipped one is left out', () => {
    const skipped = { ...stats(0, 0), skipped: true, skipReason: 'feature_unsupported' as const }
    const perTool = {
      get_media_buys: stats(0, 9),
      list_creatives: stats(1, 8),
      update_media_buy: stats(0, 9),
      get_signals: skipped,
    }
    const message = 'none of 9 schema-valid requests was accepted'
    expect(complaintsOf(report({ perTool }))).toEqual([{ seed: 42, tool: 'get_media_buys', message }])
  })

  test('a tool to which the fuzzer sends nothing acceptable may refuse all of it, for a reason that is named, and nothing more', () => {
    const failure = { tool: 'get_products', seed: 42, shrunk: true, input: {}, response: {}, verdict: 'invalid' } as const
    const failures = [{ ...failure, invariantFailures: ['no code'] }]
    const complaints = complaintsOf(report({ perTool: { get_products: stats(0, 9) }, failures }))
    expect(complaints.map(({ message, allowed }) => [message, allowed])).toEqual([
      ['no code', undefined],
      ['none of 9 schema-valid requests was accepted', expect.stringContaining('schema')],
    ])
  })

  test('carries failures and told-apart ids with their seed', () => {
    const failure = { tool: 'get_products', seed: 42, shrunk: true, input: {}, response: {}, verdict: 'invalid' } as const
    const failures = [{ ...failure, invariantFailures: ['stack trace', 'no code'] }]
    const uneven = { tool: 'tasks_get', mode: 'baseline', verdict: 'fail' } as const
    const complaints = complaintsOf(report({ failures, uniformError: [{ ...uneven, differences: ['error.message diverges'] }] }))
    expect(complaints.map(({ message }) => message)).toEqual([
      'stack trace; no code',
      'absent and foreign ids are told apart: error.message diverges',
    ])
    expect(complaints.every(({ seed }) => seed === 42)).toBe(true)
  })
})

describe('faultOf', () => {
  test.each([
    [500, '{}', 'HTTP 500'],
    [200, '"TypeError: x\\n    at handle (file:///srv/dist/compose/app.js:3:1)"', 'a stack trace in the body'],
    [200, '"at async Object.run (/srv/app/dist/main.js:10:5)"', 'a stack trace in the body'],
    [400, '"Cannot find node_modules/ajv"', 'a path of the server in the body'],
    [400, '"cannot open /var/data/agent.sqlite"', 'a path of the server in the body'],
  ])('%i %s → %s', (status, body, fault) => {
    expect(faultOf({ status, body })).toBe(fault)
  })

  test.each([
    '{"url":"https://cdn.example/tags/player.js"}',
    '{"field":"/packages/0/budget","message":"must be at least 1"}',
    '{"message":"the flight starts at 10:00 and ends at 12:00"}',
  ])('%s is no fault', (body) => {
    expect(faultOf({ status: 400, body })).toBeUndefined()
  })
})

describe('unhandledIn', () => {
  test('finds what no handler caught', () => {
    const log = '{"msg":"request"}\n[UnhandledPromiseRejection: boom]\n{"msg":"unhandledRejection"}\n{"msg":"fine"}'
    expect(unhandledIn(log)).toHaveLength(2)
  })
})

describe('observe', () => {
  test('forwards a call to the path of the agent and shows the reply', async () => {
    const agent = createServer((request, reply) => {
      reply.writeHead(418, { 'x-host': request.headers.host ?? '' })
      request.pipe(reply)
    })
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    const { port } = agent.address() as AddressInfo
    const replies: Reply[] = []
    const observer = await observe(`http://127.0.0.1:${port}/mcp`, (reply) => replies.push(reply))
    const answer = await fetch(observer.url, { method: 'POST', body: 'hello' })
    expect(new URL(observer.url).pathname).toBe('/mcp')
    expect([answer.status, await answer.text(), answer.headers.get('x-host')]).toEqual([418, 'hello', `127.0.0.1:${port}`])
    expect(replies).toEqual([{ status: 418, body: 'hello' }])
    agent.close()
    await observer.close()
  })

  test('an agent that drops the connection counts as a server error', async () => {
    const agent = createServer((request) => request.socket.destroy())
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    const replies: Reply[] = []
    const observer = await observe(`http://127.0.0.1:${(agent.address() as AddressInfo).port}/mcp`, (reply) =>
      replies.push(reply),
    )
    await expect(fetch(observer.url, { method: 'POST', body: 'hello' })).rejects.toThrow()
    expect(replies.map(faultOf)).toEqual(['HTTP 599'])
    agent.close()
    await observer.close()
  })
})

describe('checksIn', () => {
  test('reads checks and finds the failed ones', () => {
    const json =
      '[{"id":"a","name":"A","status":"SUCCESS"},{"id":"b","name":"B","status":"FAILURE","errorMessage":"why"},{"name":"C","status":"WARNING"}]'
    const checks = checksIn(json)
    expect(checks).toHaveLength(3)
    expect(failedChecks(checks)).toEqual([{ name: 'B', status: 'FAILURE', message: 'why' }])
  })

  test('a changed format is an error, not a pass', () => {
    expect(() => checksIn('{}')).toThrow('no list')
    expect(() => checksIn('[{"name":"A"}]')).toThrow('without status')
  })
})
