import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type McpTestServer, post, startMcpTestServer, toolCall } from './mcp-test-server.ts'

let mcp: McpTestServer
beforeAll(async () => {
  mcp = await startMcpTestServer()
})
afterAll(() => mcp.close())

const ACCEPT_JSON = { accept: 'application/json' }

describe('tools/call', () => {
  test('works without initialize and with Accept: application/json alone', async () => {
    const response = await post(mcp.url, toolCall('get_adcp_capabilities', { context: { trace: 'a' } }, 'id-1'), ACCEPT_JSON)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^r-\d+$/)
    const { id, result } = await response.json()
    expect(id).toBe('id-1')
    expect(result.structuredContent).toMatchObject({
      status: 'completed',
      context: { trace: 'a' },
      adcp: { major_versions: [3] },
    })
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    expect(result).not.toHaveProperty('isError')
    expect(result.structuredContent).not.toHaveProperty('replayed')
  })

  test('hands the pipeline the call as it came', async () => {
    const url = new URL(mcp.url)
    url.pathname = '/t/acme/mcp'
    const message = {
      ...toolCall('get_adcp_capabilities', { a: 1 }),
      params: { name: 'get_adcp_capabilities', arguments: { a: 1 }, _meta: { m: 2 } },
    }
    await post(url, message, { authorization: 'Bearer k', 'x-adcp-auth': 'other' })
    const call = mcp.calls.at(-1)!
    expect(call).toMatchObject({
      transport: 'mcp',
      tool: 'get_adcp_capabilities',
      arguments: { a: 1 },
      meta: { m: 2 },
      publicTenant: 'acme',
    })
    expect(call.credentials).toMatchObject({
      authorization: 'Bearer k',
      method: 'POST',
      target: '/t/acme/mcp',
      remoteAddress: '127.0.0.1',
    })
    expect(call.credentials.rawHeaders).toContain('x-adcp-auth')
    expect(Buffer.from(call.credentials.body!).toString()).toBe(JSON.stringify(message))
  })

  test('a tool of any name reaches the pipeline, also tasks/get', async () => {
    const { result } = await (await post(mcp.url, toolCall('tasks/get', { task_id: 't_1' }))).json()
    expect(result.structuredContent).toEqual({ task_id: 't_1', status: 'submitted' })
    const unknown = await (await post(mcp.url, toolCall('no_such_tool', { context: { a: 1 } }))).json()
    expect(unknown.result).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', adcp_error: { code: 'UNSUPPORTED_FEATURE' }, context: { a: 1 } },
    })
  })

  test('arguments of another type are left to the pipeline', async () => {
    await post(mcp.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_products', arguments: [1] } })
    expect(mcp.calls.at(-1)?.arguments).toEqual([1])
  })
})

describe('refusals of the transport', () => {
  test('no credentials: HTTP 401 with challenge and JSON-RPC -32028', async () => {
    const response = await post(mcp.url, toolCall('list_accounts', { context: { a: 1 } }, 9))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="test"')
    expect(response.headers.get('x-request-id')).toBeTruthy()
    const wire = { code: 'AUTH_REQUIRED', message: 'Credentials are required', recovery: 'correctable' }
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 9,
      error: { code: -32028, message: wire.message, data: { error: wire, adcp_error: wire, errors: [wire], context: { a: 1 } } },
    })
  })

  test('rate limit: HTTP 429 with Retry-After and JSON-RPC -32029', async () => {
    const response = await post(mcp.url, toolCall('list_creatives'))
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect((await response.json()).error).toMatchObject({
      code: -32029,
      data: { adcp_error: { code: 'RATE_LIMITED', retry_after: 7 } },
    })
  })

  test('an authorization header sent twice counts as none', async () => {
    const body = JSON.stringify(toolCall('get_adcp_capabilities'))
    const { request } = await import('node:http')
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        mcp.url,
        {
          method: 'POST',
          headers: [
            'content-type',
            'application/json',
            'authorization',
            'Bearer a',
            'Authorization',
            'Bearer b',
            'host',
            mcp.url.host,
          ],
        },
        (answer) => answer.resume().on('end', resolve),
      )
      sent.on('error', reject).end(body)
    })
    const { credentials } = mcp.calls.at(-1)!
    expect(credentials.authorization).toBeUndefined()
    expect(credentials.rawHeaders.filter((value) => value.startsWith('Bearer'))).toEqual(['Bearer a', 'Bearer b'])
  })
})

describe('lifecycle', () => {
  test('initialize answers each 2025 revision with itself', async () => {
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
      const { result } = await (await post(mcp.url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, ACCEPT_JSON)).json()
      expect(result).toMatchObject({
        protocolVersion,
        serverInfo: { name: 'test-agent' },
        capabilities: { tools: {}, resources: {} },
      })
    }
  })

  test('ping answers, a notification and a response are accepted, an unknown method is an error', async () => {
    expect(await (await post(mcp.url, { jsonrpc: '2.0', id: 5, method: 'ping' })).json()).toEqual({
      jsonrpc: '2.0',
      id: 5,
      result: {},
    })
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const response = await post(mcp.url, message)
      expect(response.status).toBe(202)
      expect(await response.text()).toBe('')
      expect(response.headers.get('x-request-id')).toBeTruthy()
    }
    expect(await (await post(mcp.url, { jsonrpc: '2.0', id: 5, method: 'no/such' })).json()).toMatchObject({
      id: 5,
      error: { code: -32601 },
    })
  })

  test('equal ids of concurrent callers do not mix', async () => {
    const methods = ['ping', 'tools/list', 'resources/list', 'ping', 'resources/templates/list']
    const answers = await Promise.all(
      methods.map(async (method) => (await post(mcp.url, { jsonrpc: '2.0', id: 1, method })).json()),
    )
    expect(answers.map(({ result }) => Object.keys(result)[0])).toEqual([
      undefined,
      'tools',
      'resources',
      undefined,
      'resourceTemplates',
    ])
  })

  test('methods other than POST: 405 with Allow', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const response = await fetch(mcp.url, { method, headers: { accept: 'text/event-stream' } })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(((await response.json()) as Answer).error.data.adcp_error.code).toBe('INVALID_REQUEST')
    }
  })

  test('an unknown revision in the header: 400', async () => {
    const response = await post(mcp.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' })
    expect(response.status).toBe(400)
  })
})

describe('2026-07-28', () => {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {}, _meta } }
  const standard = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_adcp_capabilities' }

  test('tools/call carries result type and server identity', async () => {
    const { result } = await (await post(mcp.url, call, standard)).json()
    expect(result).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test-agent' } },
    })
    expect(result.structuredContent.status).toBe('completed')
  })

  test('discovery names the revision', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
    const { result } = await (await post(mcp.url, message, { ...standard, 'mcp-method': 'server/discover' })).json()
    expect(result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' })
  })

  test.each([
    ['version header missing', { 'mcp-protocol-version': undefined }, -32020],
    ['method header missing', { 'mcp-method': undefined }, -32020],
    ['name header missing', { 'mcp-name': undefined }, -32020],
    ['name header of another tool', { 'mcp-name': 'get_products' }, -32020],
    ['method header of another method', { 'mcp-method': 'tools/list' }, -32020],
  ])('%s: 400', async (_case, change, code) => {
    const headers = Object.fromEntries(
      Object.entries({ ...standard, ...change }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    const response = await post(mcp.url, call, headers)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: 1, error: { code, data: { adcp_error: { code: 'INVALID_REQUEST' } } } })
  })

  test('a name that no header can hold travels encoded', async () => {
    const name = 'größe'
    const params = { ...call.params, name }
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
    const response = await post(mcp.url, { ...call, params }, { ...standard, 'mcp-name': encoded })
    expect((await response.json()).result.structuredContent.adcp_error.code).toBe('UNSUPPORTED_FEATURE')
  })

  test('a later revision: 400 naming what is supported', async () => {
    const params = { ...call.params, _meta: { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }
    const response = await post(mcp.url, { ...call, params }, { ...standard, 'mcp-protocol-version': '2027-01-01' })
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } })
  })

  test('the header without the envelope: 400', async () => {
    const response = await post(mcp.url, toolCall('get_adcp_capabilities'), standard)
    expect(response.status).toBe(400)
    expect((await response.json()).error.code).toBe(-32602)
  })

  test('an unknown method: 404, a notification: 202', async () => {
    const unknown = await post(
      mcp.url,
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta } },
      { ...standard, 'mcp-method': 'ping' },
    )
    expect(unknown.status).toBe(404)
    const note = await post(mcp.url, { jsonrpc: '2.0', method: 'notifications/x' }, { 'mcp-protocol-version': '2026-07-28' })
    expect(note.status).toBe(202)
  })
})
