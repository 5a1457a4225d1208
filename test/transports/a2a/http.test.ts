import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type A2aTestClient, a2aClient, skillMessage } from '../../support/a2a-client.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
let buyer: A2aTestClient
let nobody: A2aTestClient
const logged: string[] = []

beforeAll(async () => {
  agent = await startAgent({ onLog: (line) => logged.push(line) })
  buyer = a2aClient(agent.url, agent.key)
  nobody = a2aClient(agent.url)
})
afterAll(() => agent.stop())

const send = (skill: string, parameters: unknown = {}, more: object = {}) => ({
  message: skillMessage(skill, parameters, more),
})
// biome-ignore lint/suspicious/noExplicitAny: judged by assertions
const json = async (response: Response): Promise<any> => response.json()

describe('authentication', () => {
  it.each([
    ['message/send', send('list_accounts', { context: { trace: 1 } })],
    ['message/stream', send('list_accounts')],
    ['tasks/get', { id: 'task_1' }],
    ['tasks/cancel', { id: 'task_1' }],
    ['tasks/resubscribe', { id: 'task_1' }],
    ['tasks/pushNotificationConfig/list', { id: 'task_1' }],
    ['agent/getAuthenticatedExtendedCard', {}],
  ])('%s without credentials is HTTP 401 with a challenge, before any JSON-RPC result', async (method, params) => {
    const response = await nobody.rpc(method, params)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="${agent.url}"`)
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = await json(response)
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32028, data: { adcp_error: { code: 'AUTH_REQUIRED' } } },
    })
    expect(body).not.toHaveProperty('result')
  })

  it('a method of the other revision is answered with the header that decides', async () => {
    const { error } = await json(await buyer.rpc('GetTask', { id: 'task_1' }))
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('send the header A2A-Version: 1.0') })
    const other = await json(await buyer.rpc('tasks/get', { id: 'task_1' }, { 'A2A-Version': '1.0' }))
    expect(other.error).toMatchObject({ code: -32601, message: expect.stringContaining('without the header A2A-Version') })
  })

  it('1.0 is refused the same way', async () => {
    for (const [method, params] of [
      [
        'SendMessage',
        { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill: 'list_accounts', input: {} } }] } },
      ],
      ['SendStreamingMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill: 'list_accounts' } }] } }],
      ['ListTasks', {}],
      ['GetExtendedAgentCard', {}],
    ] as const) {
      const response = await nobody.rpc(method, params, { 'A2A-Version': '1.0' })
      expect([method, response.status]).toEqual([method, 401])
    }
  })

  it('public tasks need none', async () => {
    const { status, data } = await nobody.call('get_adcp_capabilities')
    expect([status, data.status]).toEqual([200, 'completed'])
  })

  it.each(['x-adcp-auth', 'X-Api-Key', 'api-key', 'x-auth-token', 'x-access-token'])(
    'a key in %s proves nothing: HTTP 401, for public tasks too',
    async (header) => {
      for (const skill of ['list_accounts', 'get_adcp_capabilities']) {
        const response = await nobody.rpc('message/send', send(skill), { [header]: agent.key })
        expect([skill, response.status]).toEqual([skill, 401])
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
        expect(await response.text()).not.toContain(agent.key)
      }
    },
  )

  it('the old header beside Authorization changes nothing, as official clients send both', async () => {
    const response = await buyer.rpc('message/send', send('list_accounts'), { 'x-adcp-auth': 'anything' })
    expect(response.status).toBe(200)
  })

  it.each(['Bearer sk_000000000000_wrong', 'Basic d3Jvbmc6d3Jvbmc=', 'Token abc', 'Bearer a.b.c'])(
    '%s is HTTP 401, for public tasks too',
    async (authorization) => {
      for (const skill of ['list_accounts', 'get_adcp_capabilities']) {
        const response = await nobody.rpc('message/send', send(skill), { Authorization: authorization })
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toMatch(/^(Bearer|Basic) /)
      }
    },
  )
})

describe('credentials elsewhere', () => {
  const secret = 'sk_live_do_not_repeat_me'
  it.each<[string, object]>([
    ['the parameters', { message: skillMessage('get_products', { buying_mode: 'wholesale', api_key: secret }) }],
    ['the context', { message: skillMessage('get_products', { buying_mode: 'wholesale', context: { token: secret } }) }],
    ['the metadata of the message', { message: skillMessage('get_products', {}, { metadata: { access_token: secret } }) }],
    ['the metadata of the request', { ...send('get_products'), metadata: { nested: [{ password: secret }] } }],
    [
      'the data part',
      {
        message: { ...skillMessage('x', {}), parts: [{ kind: 'data', data: { skill: 'get_products', authorization: secret } }] },
      },
    ],
    [
      'the metadata of a part',
      {
        message: {
          ...skillMessage('x', {}),
          parts: [
            { kind: 'text', text: 'hello', metadata: { credentials: secret } },
            { kind: 'data', data: { skill: 'get_products' } },
          ],
        },
      },
    ],
  ])('in %s are refused and repeated nowhere', async (_where, params) => {
    logged.length = 0
    const response = await buyer.rpc('message/send', params)
    const text = await response.text()
    const { result } = JSON.parse(text)
    expect(result.artifacts[0].parts.map(({ kind }: { kind: string }) => kind)).toEqual(['data', 'text'])
    expect(result.artifacts[0].parts[0].data.status).toBe('failed')
    expect(result.artifacts[0].parts[0].data.adcp_error).toEqual({
      code: 'CREDENTIAL_IN_ARGS',
      message: expect.any(String),
      recovery: 'terminal',
    })
    expect(text + logged.join('')).not.toContain(secret)
  })
})

describe('what is no request', () => {
  it.each<[string, string | Uint8Array, Record<string, string>, number, number]>([
    ['no JSON', '{', {}, 400, -32700],
    ['not UTF-8', Uint8Array.from([0x22, 0xc3, 0x28, 0x22]), {}, 400, -32700],
    ['the same key twice', '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', {}, 400, -32600],
    ['nested too deeply', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, {}, 400, -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}]', {}, 400, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', {}, 200, -32600],
    ['null', 'null', {}, 400, -32600],
    ['another type', '{}', { 'Content-Type': 'text/plain' }, 415, -32000],
    ['compressed', '{}', { 'Content-Encoding': 'gzip' }, 415, -32000],
    ['of another host', '{}', { Host: 'evil.example' }, 403, -32000],
    ['from a page elsewhere', '{}', { Origin: 'https://evil.example' }, 403, -32000],
    ['too large', `"${'x'.repeat(4_194_304)}"`, {}, 413, -32000],
  ])('%s', async (what, body, headers, status, code) => {
    // fetch does not let a client choose its Host.
    if (what === 'of another host') return
    const response = await buyer.post(body, headers)
    expect(response.status).toBe(status)
    const { error } = await json(response)
    expect(error.code).toBe(code)
    expect(error.data.adcp_error.code).toBe('INVALID_REQUEST')
  })

  it('GET and a query are refused', async () => {
    const url = agent.url.replace(/\/mcp$/, '/a2a')
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(`${url}?key=1`, { method: 'POST', body: '{}' })).status).toBe(400)
  })

  it.each<[string, unknown, number]>([
    ['no params', undefined, -32602],
    ['params of another type', [], -32602],
    ['no message', {}, -32602],
    ['no parts', { message: { ...skillMessage('x', {}), parts: [] } }, -32602],
    ['a part that is nothing', { message: { ...skillMessage('x', {}), parts: [null] } }, -32602],
    ['text alone', { message: { ...skillMessage('x', {}), parts: [{ kind: 'text', text: 'Find video for coffee' }] } }, -32602],
    [
      'two calls',
      { message: { ...skillMessage('x', {}), parts: [...skillMessage('a', {}).parts, ...skillMessage('b', {}).parts] } },
      -32602,
    ],
    ['data of another type', { message: { ...skillMessage('x', {}), parts: [{ kind: 'data', data: 'get_products' }] } }, -32602],
    ['no skill', { message: { ...skillMessage('x', {}), parts: [{ kind: 'data', data: { parameters: {} } }] } }, -32602],
    [
      'parameters and input',
      {
        message: {
          ...skillMessage('x', {}),
          parts: [{ kind: 'data', data: { skill: 'get_products', parameters: {}, input: {} } }],
        },
      },
      -32602,
    ],
    ['no messageId', { message: { ...skillMessage('get_products', {}), messageId: '' } }, -32602],
    ['a context id of control characters', { message: skillMessage('get_products', {}, { contextId: 'a\r\nb' }) }, -32602],
    ['a task id that is none', { message: skillMessage('get_products', {}, { taskId: { a: 1 } }) }, -32602],
    ['a configuration that is none', { ...send('get_products'), configuration: 7 }, -32602],
    ['a file that is none', { message: { ...skillMessage('x', {}), parts: [{ kind: 'file' }] } }, -32602],
  ])('message/send with %s', async (_what, params, code) => {
    for (const method of ['message/send', 'message/stream']) {
      const response = await buyer.post(
        JSON.stringify({ jsonrpc: '2.0', id: 7, method, ...(params !== undefined && { params }) }),
      )
      expect(response.status).toBe(200)
      const body = await json(response)
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code, message: expect.any(String) } })
      expect(JSON.stringify(body)).not.toMatch(/undefined|Cannot read|not a function/)
    }
  })

  it.each<[string, object, unknown]>([
    ['no method', { jsonrpc: '2.0', id: 7 }, 7],
    ['an empty method', { jsonrpc: '2.0', id: 'seven', method: '' }, 'seven'],
    ['a method of another type', { jsonrpc: '2.0', id: 7, method: ['GetTask'] }, 7],
    ['no jsonrpc', { id: 7, method: 'GetTask', params: { id: 'x' } }, 7],
    ['another jsonrpc', { jsonrpc: '1.0', id: 7, method: 'GetTask', params: { id: 'x' } }, 7],
    ['an id of another type', { jsonrpc: '2.0', id: { a: 1 }, method: 'GetTask', params: { id: 'x' } }, null],
    ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'GetTask', params: { id: 'x' } }, null],
  ])('%s is an invalid request under both revisions, answered to its id', async (_what, body, id) => {
    for (const version of ['0.3', '1.0']) {
      const response = await buyer.post(JSON.stringify(body), { 'A2A-Version': version })
      expect([version, response.status]).toEqual([version, 200])
      expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } })
    }
  })

  it.each<[string, string, string, object]>([
    ['0.3', 'tasks/get', 'no id', {}],
    ['0.3', 'tasks/get', 'an id of another type', { id: 7 }],
    ['0.3', 'tasks/get', 'an id that no task can have', { id: 'a\u0000b' }],
    ['0.3', 'tasks/cancel', 'no id', {}],
    ['0.3', 'tasks/resubscribe', 'no id', {}],
    ['0.3', 'tasks/pushNotificationConfig/list', 'no id', {}],
    ['0.3', 'tasks/get', 'a negative length', { id: 'x', historyLength: -1 }],
    ['0.3', 'message/send', 'a negative length', { ...send('get_products'), configuration: { historyLength: -1 } }],
    ['1.0', 'GetTask', 'no id', {}],
    ['1.0', 'GetTask', 'an id of another type', { id: { a: 1 } }],
    ['1.0', 'CancelTask', 'no id', {}],
    ['1.0', 'SubscribeToTask', 'no id', {}],
    ['1.0', 'ListTaskPushNotificationConfigs', 'no task', {}],
    ['1.0', 'GetTask', 'a negative length', { id: 'x', historyLength: -1 }],
    ['1.0', 'GetTask', 'a negative length by its other name', { id: 'x', history_length: -1 }],
    ['1.0', 'ListTasks', 'half a message', { historyLength: 0.5 }],
  ])('%s %s with %s is invalid params', async (version, method, _what, params) => {
    const response = await buyer.rpc(method, params, { 'A2A-Version': version })
    const { error } = await json(response)
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/must be/) })
  })

  it('lengths that are none keep nothing from being read', async () => {
    for (const historyLength of [0, 10, null]) {
      const { error } = await json(await buyer.rpc('tasks/get', { id: 'task_x', historyLength }))
      expect(error.code).toBe(-32001)
    }
  })

  it('a method that is none', async () => {
    expect(await json(await buyer.rpc('tools/call', {}))).toMatchObject({ error: { code: -32601 } })
    expect(await json(await buyer.rpc('message/send', send('get_products'), { 'A2A-Version': '1.0' }))).toMatchObject({
      error: { code: -32601 },
    })
  })

  it('a revision that is not served', async () => {
    const { error } = await json(await buyer.rpc('message/send', send('get_products'), { 'A2A-Version': '2.0' }))
    expect(error).toMatchObject({ code: -32009, message: expect.stringContaining('1.0') })
    expect((await buyer.rpc('message/send', send('list_accounts'), { 'A2A-Version': '0.3.0' })).status).toBe(200)
  })

  it('a task that is none', async () => {
    const overMcp = await agent.buyer.call('no_such_task')
    expect((await buyer.call('no_such_task')).data).toEqual(overMcp.data)
    expect((await buyer.call('comply_test_controller')).data).toEqual(overMcp.data)
  })
})

describe('a publisher’s own address', () => {
  it('selects its products', async () => {
    await agent.addBuyer({ principal: 'p', tenant: 'globex' })
    const at = (tenant: string) => a2aClient(agent.url.replace('/mcp', `/t/${tenant}/mcp`))
    expect((await at('globex').call('get_adcp_capabilities')).status).toBe(200)
    expect((await at('nobody-here').call('get_adcp_capabilities')).status).toBe(404)
  })
})

it('Basic credentials count', async () => {
  const response = await nobody.rpc('message/send', send('list_accounts'), {
    Authorization: `Basic ${Buffer.from('unknown:password').toString('base64')}`,
  })
  expect(response.headers.get('www-authenticate')).toMatch(/^Basic /)
})

it('no request left an error in the log', () => {
  expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})
