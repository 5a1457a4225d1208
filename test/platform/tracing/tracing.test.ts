import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STEPS as PIPELINE } from '../../../src/pipeline/pipeline.ts'
import { a2aClient } from '../../support/a2a-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { type CollectedSpan, type SpanCollector, startSpanCollector } from '../../support/span-collector.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const STEPS = [...PIPELINE.map((step) => step.name), 'handle']
const SERVER = 2
const CLIENT = 3
const ERROR = 2
const SECRET_WORDS = 'coffee drinkers of the north'
const TENANT_WORDS = /acme|buyer|brand\.example|agency\.example|127\.0\.0\.1/

/** A caller's span: its id, the trace it is in, and the header that says so. */
function caller(flags = '01') {
  const traceId = randomUUID().replaceAll('-', '')
  const spanId = randomUUID().replaceAll('-', '').slice(0, 16)
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

const callers = {
  mcp: caller(),
  meta: caller(),
  a2a: caller(),
  buy: caller(),
  again: caller(),
  refused: caller(),
  stranger: caller(),
  unknown: caller(),
  unsampled: caller('00'),
  directory: caller(),
  twice: caller(),
  first: caller(),
  second: caller(),
}

describe('spans of a server', () => {
  let collector: SpanCollector
  let receiver: WebhookReceiver
  let agent: MediaBuyAgent
  let key: string
  const log: string[] = []
  const replies: Record<string, { status: number; isError: boolean; requestId: string | null }> = {}

  beforeAll(async () => {
    collector = await startSpanCollector()
    receiver = await startReceiver()
    agent = await startMediaBuyAgent([productDocument('news')], {
      sandbox: true,
      onLog: (line) => log.push(line),
      flags: {
        'tracing.endpoint': collector.endpoint,
        'tracing.headers': ['x-collector-key=let%20me%20in'],
        'tracing.serviceName': 'ads-of-acme',
      },
    })
    key = await agent.addBuyer({ principal: 'tester', sandbox: true })
    await useIt()
    await agent.server.webhooks.dispatcher.idle()
    await agent.stop()
  })
  afterAll(async () => {
    await receiver.close()
    await collector.close()
  })

  const post = async (name: keyof typeof callers, task: string, args: object, headers: Record<string, string> = {}) => {
    const client = agent.client(key)
    const params = { name: task, arguments: args }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const response = await client.send(message, { traceparent: callers[name].traceparent, ...headers })
    const body = await response.text()
    replies[name] = {
      status: response.status,
      isError: body.includes('"adcp_error"'),
      requestId: response.headers.get('x-request-id'),
    }
  }

  async function useIt() {
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${key}`, traceparent: callers.mcp.traceparent } }
    await client.connect(new StreamableHTTPClientTransport(new URL(agent.url), { requestInit }) as never)
    await client.callTool({ name: 'get_products', arguments: { buying_mode: 'brief', brief: SECRET_WORDS } })
    await client.close()
    await agent.client(key).call('get_products', { buying_mode: 'wholesale' }, { traceparent: callers.meta.traceparent })
    const skill = { kind: 'data', data: { skill: 'get_adcp_capabilities', parameters: {} } }
    const message = { kind: 'message', role: 'user', messageId: 'm1', parts: [skill] }
    const { traceparent } = callers.a2a
    await a2aClient(agent.url, key).rpc('message/send', { message }, { traceparent })

    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
    await post('unsampled', 'sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...account, billing: 'operator' }] })
    const buy = {
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-12T00:00:00Z',
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
      push_notification_config: { url: `${receiver.origin}/told` },
    }
    await post('buy', 'create_media_buy', buy)
    await post('again', 'create_media_buy', buy)
    await post('refused', 'create_media_buy', { ...buy, idempotency_key: randomUUID(), packages: [{ product_id: SECRET_WORDS }] })
    await post('stranger', 'list_creatives', {}, { authorization: 'Bearer sk_no_such_key' })
    await post('unknown', 'a_tool_named_by_the_caller', {})
    await post('twice', 'get_products', { buying_mode: 'wholesale' }, { traceparent: `${callers.twice.traceparent}, x` })
    for (const name of ['first', 'second'] as const) await post(name, 'get_products', { buying_mode: 'brief', brief: 'news' })
    const lookup = new URL(`/v1/agents/${encodeURIComponent('https://seller.example/mcp')}/publishers`, agent.url)
    await fetch(lookup, { headers: { traceparent: callers.directory.traceparent } })
    await receiver.expect('/told', 1)
  }

  /** Spans of a trace from the outermost inwards. */
  const chain = ({ traceId, spanId }: { traceId: string; spanId: string }): CollectedSpan[] => {
    const inner = collector.spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId)
    expect(inner.length).toBeLessThanOrEqual(1)
    return inner.flatMap((span) => [span, ...chain(span)])
  }
  const names = (spans: readonly CollectedSpan[]) => spans.map(({ name }) => name)

  it('a call of an MCP client is a span in the trace of the client, and its steps lie within each other', () => {
    const spans = chain(callers.mcp)
    expect(names(spans)).toEqual(['get_products', ...STEPS])
    expect(spans[0]?.kind).toBe(SERVER)
    expect(spans[0]?.attributes).toMatchObject({
      'rpc.system.name': 'jsonrpc',
      'rpc.method': 'get_products',
      'adcp.transport': 'mcp',
      'adcp.outcome': 'ok',
      'adcp.replayed': false,
    })
    expect(spans.every(({ status }) => status.code !== ERROR)).toBe(true)
    expect(collector.spans.filter(({ traceId }) => traceId === callers.mcp.traceId)).toHaveLength(spans.length)
  })

  it('the trace may also come in the `_meta` of the call, or over A2A', () => {
    expect(names(chain(callers.meta))).toEqual(['get_products', ...STEPS])
    const [task] = chain(callers.a2a)
    expect(task).toMatchObject({ name: 'get_adcp_capabilities', attributes: { 'adcp.transport': 'a2a' } })
  })

  it('a replay says so and ends at the step that knew the answer', () => {
    expect(names(chain(callers.buy))).toEqual(['create_media_buy', ...STEPS])
    const again = chain(callers.again)
    expect(names(again)).toEqual(['create_media_buy', ...STEPS.slice(0, STEPS.indexOf('replay') + 1)])
    expect(again[0]?.attributes).toMatchObject({ 'adcp.outcome': 'ok', 'adcp.replayed': true })
  })

  it('a question that is asked again to the byte shows its steps as well', () => {
    expect(names(chain(callers.first))).toEqual(['get_products', ...STEPS])
    expect(names(chain(callers.second))).toEqual(['get_products', ...STEPS])
  })

  it('a refused call is an error with its code, from the step that refused it outwards', () => {
    const refused = chain(callers.refused)
    expect(names(refused)).toEqual(['create_media_buy', ...STEPS.slice(0, STEPS.indexOf('validateRequest') + 1)])
    for (const span of refused) {
      expect(span.status).toEqual({ code: ERROR, message: 'INVALID_REQUEST' })
      expect(span.attributes['error.type']).toBe('INVALID_REQUEST')
    }
    expect(refused[0]?.attributes['adcp.request_id']).toBe(replies.refused?.requestId)
    const stranger = chain(callers.stranger)
    expect(names(stranger)).toEqual(['list_creatives', 'authenticate', 'admit'])
    expect(stranger[0]?.attributes['adcp.outcome']).toBe('AUTH_INVALID')
    expect(replies.stranger?.status).toBe(401)
  })

  it('a tool that there is not has no name of the caller', () => {
    const [span] = chain(callers.unknown)
    expect(span).toMatchObject({ name: 'unknown', attributes: { 'rpc.method': '_OTHER', 'adcp.outcome': 'INVALID_REQUEST' } })
  })

  it('a caller that does not sample is not traced, and a header that is none is ignored', () => {
    expect(replies.unsampled).toMatchObject({ status: 200, isError: false })
    expect(collector.spans.filter(({ traceId }) => traceId === callers.unsampled.traceId)).toEqual([])
    expect(replies.twice).toMatchObject({ status: 200, isError: false })
    expect(collector.spans.filter(({ traceId }) => traceId === callers.twice.traceId)).toEqual([])
    const own = collector.spans.filter((span) => span.attributes['adcp.request_id'] === replies.twice?.requestId)
    expect(own).toMatchObject([{ name: 'get_products' }])
    expect(own[0]?.parentSpanId).toBeUndefined()
  })

  it('the directory has a span named for its route', () => {
    expect(chain(callers.directory)).toMatchObject([
      {
        name: 'GET /v1/agents/{agent_url}/publishers',
        kind: SERVER,
        status: {},
        attributes: { 'http.request.method': 'GET', 'http.response.status_code': 404 },
      },
    ])
  })

  it('a webhook is sent in a span that its receiver can go on with', () => {
    const [webhook] = receiver.at('/told')
    const [, traceId, spanId] = String(webhook?.headers.traceparent).split('-')
    const span = collector.spans.find((each) => each.traceId === traceId && each.spanId === spanId)
    expect(span).toMatchObject({ name: 'POST', kind: CLIENT, attributes: { 'http.response.status_code': 200 } })
    expect(webhook?.headers['signature-input']).toContain('"content-digest"')
  })

  it('nothing that callers sent and nothing of a tenant is told', () => {
    expect(collector.spans.length).toBeGreaterThan(50)
    for (const { resource: _resource, ...span } of collector.spans) {
      expect(JSON.stringify(span)).not.toMatch(TENANT_WORDS)
    }
    const all = collector.bodies.join('\n')
    expect(all).not.toContain('coffee')
    expect(all).not.toContain(key)
    expect(all).not.toContain('sk_no_such_key')
    expect(all).not.toContain('a_tool_named_by_the_caller')
    expect(all).not.toContain('seller.example')
  })

  it('says which service and process it is, and sends what the collector asks for', () => {
    expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'ads-of-acme', 'process.pid': process.pid })
    expect(collector.spans[0]?.resource['service.version']).toMatch(/^\d+\.\d+\.\d+/)
    expect(collector.headers.every((headers) => headers['x-collector-key'] === 'let me in')).toBe(true)
  })

  it('log lines of a call name its trace', () => {
    const line = log.map((each) => JSON.parse(each)).find((each) => each.trace === callers.buy.traceId && each.msg === 'answered')
    expect(line).toMatchObject({ task: 'create_media_buy' })
  })
})

describe('a question that is answered from the cache', () => {
  let collector: SpanCollector
  let agent: MediaBuyAgent
  beforeAll(async () => {
    collector = await startSpanCollector()
    agent = await startMediaBuyAgent([productDocument('news')], { flags: { 'tracing.endpoint': collector.endpoint } })
  })
  afterAll(() => collector.close())

  it('shows its steps up to the cache to each caller that samples', async () => {
    const client = agent.client(agent.key)
    const message = toolCall('get_products', { buying_mode: 'brief', brief: 'news' })
    const callers = [caller(), caller(), caller('00'), caller()]
    for (const { traceparent } of callers) expect((await client.send(message, { traceparent })).status).toBe(200)
    await agent.stop()
    const tasks = collector.spans.filter(({ name }) => name === 'get_products')
    const sampled = callers.filter((_each, index) => index !== 2)
    expect(tasks.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(
      sampled.map(({ traceId, spanId }) => [traceId, spanId]),
    )
    const stepsOf = (one: { traceId: string } | undefined) =>
      collector.spans.filter(({ traceId }) => traceId === one?.traceId).map(({ name }) => name)
    const toCache = STEPS.slice(0, STEPS.indexOf('answerFromCache') + 1)
    expect(stepsOf(sampled[0]).sort()).toEqual(['get_products', ...STEPS].sort())
    expect(stepsOf(sampled[2]).sort()).toEqual(['get_products', ...toCache].sort())
  })
})

function toolCall(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}
