import { request } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type McpTestServer, post, startMcpTestServer, toolCall } from './mcp-test-server.ts'

const MAX_BODY = 50_000
let mcp: McpTestServer
beforeAll(async () => {
  mcp = await startMcpTestServer({ maxBodyBytes: MAX_BODY })
})
afterAll(() => mcp.close())

async function expectRefused(response: Awaited<ReturnType<typeof post>>, status: number, rpcCode: number) {
  expect(response.status).toBe(status)
  expect(response.headers.get('x-request-id')).toBeTruthy()
  const body = await response.json()
  const wire = { code: 'INVALID_REQUEST', message: body.error.message, recovery: 'correctable' }
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    error: { code: rpcCode, data: { error: wire, adcp_error: wire, errors: [wire] } },
  })
  return body
}

describe('bodies', () => {
  const name = '"method":"tools/call","params":{"name":"get_adcp_capabilities"'
  test.each<[string, string | Uint8Array, number]>([
    ['empty', '', -32700],
    ['malformed', '{"jsonrpc":', -32700],
    ['invalid UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), -32700],
    ['byte order mark', '\ufeff{}', -32700],
    ['a key twice at the top', `{"jsonrpc":"2.0","id":1,"id":2,${name}}}`, -32600],
    ['a key twice in arguments', `{"jsonrpc":"2.0","id":1,${name},"arguments":{"a":[{"b":1,"b":2}]}}}`, -32600],
    ['a key twice, once escaped', `{"jsonrpc":"2.0","id":1,${name},"arguments":{"ab":1,"\\u0061b":2}}}`, -32600],
    ['__proto__ twice', `{"jsonrpc":"2.0","id":1,${name},"arguments":{"__proto__":{},"__proto__":{}}}}`, -32600],
    ['too deep', `{"jsonrpc":"2.0","id":1,${name},"arguments":${'['.repeat(70)}${']'.repeat(70)}}}`, -32600],
    ['no JSON-RPC', '{"hello":1}', -32600],
    ['a scalar', '42', -32600],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['empty batch', '[]', -32600],
    ['batch with an invalid element', '[{"jsonrpc":"2.0","id":1,"method":"ping"},1]', -32600],
    ['tools/call without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602],
  ])('%s: 400', async (_case, body, rpcCode) => {
    await expectRefused(await post(mcp.url, body), 400, rpcCode)
  })

  test('more than 100,000 values: 400', async () => {
    const roomy = await startMcpTestServer()
    await expectRefused(await post(roomy.url, `[${'0,'.repeat(100_001)}0]`), 400, -32600)
    await roomy.close()
  })

  test('a single __proto__ is data and pollutes nothing', async () => {
    const response = await post(mcp.url, `{"jsonrpc":"2.0","id":1,${name},"arguments":{"__proto__":{"polluted":1}}}}`)
    expect(await response.text()).toContain('\\"__proto__\\":{\\"polluted\\":1}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('content type %s %o: 415', async (type, extra) => {
    await expectRefused(await post(mcp.url, toolCall('get_products'), { 'content-type': type, ...extra }), 415, -32000)
  })

  test('application/json with a charset passes', async () => {
    const response = await post(mcp.url, toolCall('get_adcp_capabilities'), {
      'content-type': 'application/json; charset=utf-8',
    })
    expect(response.status).toBe(200)
  })

  test('a body over the cap: 413, declared or chunked, and the connection is closed', async () => {
    const declared = await post(mcp.url, ' '.repeat(MAX_BODY + 1))
    expect(declared.headers.get('connection')).toBe('close')
    await expectRefused(declared, 413, -32000)
    const chunked = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(mcp.url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (chunk) => (text += chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      sent.on('error', reject)
      for (let i = 0; i < 20; i++) sent.write(' '.repeat(10_000))
      sent.end()
    })
    expect(chunked.status).toBe(413)
    expect(JSON.parse(chunked.text).error.code).toBe(-32000)
  })

  test('an upload that never ends is cut off', async () => {
    const socket = connect(Number(mcp.url.port), '127.0.0.1')
    const closed = new Promise<string>((resolve) => {
      let text = ''
      socket
        .on('data', (chunk) => (text += chunk))
        .on('error', () => undefined)
        .on('close', () => resolve(text))
    })
    socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9999999999\r\n\r\n`)
    const feed = setInterval(() => socket.write('x'.repeat(1000)), 5)
    expect(await closed).toMatch(/^HTTP\/1\.1 413 /)
    clearInterval(feed)
  })

  test('a client that gives up leaves the server well', async () => {
    const socket = connect(Number(mcp.url.port), '127.0.0.1')
    socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{', () =>
      socket.destroy(),
    )
    await new Promise((resolve) => socket.on('close', resolve))
    expect((await post(mcp.url, toolCall('get_adcp_capabilities'))).status).toBe(200)
  })
})

describe('addresses', () => {
  test('any query: 400, without saying what it held', async () => {
    for (const query of ['?access_token=s3cret', '?', '?x=1']) {
      const response = await post(new URL(`/mcp${query}`, mcp.url), toolCall('get_adcp_capabilities'))
      if (query === '?' && response.status === 200) continue // the URL parser of fetch drops an empty query
      expect(JSON.stringify(await expectRefused(response, 400, -32600))).not.toContain('s3cret')
    }
  })

  const withHeaders = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(mcp.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode ?? 0)),
      )
      sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
    })

  test.each([
    ['evil.example', undefined, 403],
    ['evil.example:80', undefined, 403],
    ['localhost.evil.example', undefined, 403],
    ['localhost@evil.example', undefined, 403],
    ['localhost:3000', undefined, 200],
    ['[::1]:3000', undefined, 200],
    ['SELLER.example', undefined, 200],
    ['localhost', 'http://evil.example', 403],
    ['localhost', 'null', 403],
    ['localhost', 'http://localhost:5173', 200],
    ['localhost', 'https://console.example', 200],
    ['localhost', 'http://console.example', 403],
    ['localhost', 'moz-extension://localhost', 403],
  ])('Host %s, Origin %s: %i', async (host, origin, status) => {
    expect(await withHeaders({ host, ...(origin !== undefined && { origin }) })).toBe(status)
  })
})

describe('any JSON', () => {
  const member = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.boolean(), fc.jsonValue())
  const garbage = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), member),
        id: member,
        method: fc.oneof(
          fc.constantFrom('tools/call', 'tools/list', 'initialize', 'resources/read', 'ping', 'server/discover', 'constructor'),
          member,
        ),
        params: fc.oneof(
          fc.record({ name: member, arguments: member, _meta: member, uri: member, cursor: member }, { requiredKeys: [] }),
          member,
        ),
        result: member,
        error: member,
      },
      { requiredKeys: [] },
    ),
  )

  test('comes back as JSON-RPC, never as a server error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(garbage, fc.array(garbage, { maxLength: 4 })), fc.boolean(), async (message, modern) => {
        const response = await post(mcp.url, JSON.stringify(message), modern ? { 'mcp-protocol-version': '2026-07-28' } : {})
        expect(response.status).toBeLessThan(500)
        const text = await response.text()
        if (response.status === 202) {
          expect(text).toBe('')
          return
        }
        const answer = JSON.parse(text)
        for (const each of Array.isArray(answer) ? answer : [answer]) {
          expect(each).toMatchObject({ jsonrpc: '2.0' })
          if (response.status >= 400) expect(each.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
        }
      }),
      { numRuns: 150 },
    )
  })

  test('bytes come back as JSON-RPC errors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        const response = await post(mcp.url, bytes)
        expect(response.status).toBeGreaterThanOrEqual(400)
        expect(response.status).toBeLessThan(500)
        expect((await response.json()).error.data.adcp_error.code).toBe('INVALID_REQUEST')
      }),
      { numRuns: 60 },
    )
  })
})
