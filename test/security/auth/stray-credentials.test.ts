import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, post } from '../../support/credentials.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
let strict: TestAgent
beforeAll(async () => {
  agent = await startAgent()
  strict = await startAgent({ flags: { 'auth.aliasHeader': false } })
})
afterAll(async () => {
  await agent.stop()
  await strict.stop()
})

const JSON_TYPE = ['Content-Type', 'application/json']
const capabilities = callText('get_adcp_capabilities')
const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
const clientInfo = { name: 'test', version: '1' }
const initialize = message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
const a2aCall = message('message/send', {
  message: {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'data', data: { skill: 'get_adcp_capabilities', input: {} } }],
  },
})
const a2a = () => agent.url.replace(/\/mcp$/, '/a2a')

/** Expects HTTP 401 with a challenge, and gives the error. */
async function refusal(url: string, body: string, headers: readonly string[]) {
  const reply = await post(url, body, [...JSON_TYPE, ...headers])
  expect(reply.status).toBe(401)
  expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="/)
  expect(JSON.stringify([reply.body, reply.headers])).not.toContain(agent.key)
  return reply.body.error.data.adcp_error
}

describe('a credential that came where none counts is refused with the reason, also by a public task', () => {
  it.each(['x-api-key', 'Api-Key', 'x-auth-token', 'x-access-token', 'Token'])('in the header %s', async (header) => {
    for (const [url, body] of [
      [agent.url, capabilities],
      [a2a(), a2aCall],
    ] as const) {
      const error = await refusal(url, body, [header, agent.key])
      expect(error).toMatchObject({ code: 'AUTH_REQUIRED', recovery: 'correctable' })
      expect(error.message).toContain('send it as Authorization: Bearer')
    }
  })

  it.each(['access_token', 'api_key', 'x-adcp-auth', 'token'])('in the query parameter %s', async (name) => {
    for (const [url, body] of [
      [agent.url, capabilities],
      [a2a(), a2aCall],
    ] as const) {
      const error = await refusal(`${url}?${name}=${agent.key}`, body, [])
      expect(error).toMatchObject({ code: 'AUTH_REQUIRED', recovery: 'correctable' })
      expect(error.message).toContain('the URL')
    }
  })

  it('in the old header over A2A, and over MCP where it is switched off; its name is not given', async () => {
    for (const [url, body] of [
      [a2a(), a2aCall],
      [strict.url, capabilities],
    ] as const) {
      expect((await refusal(url, body, ['x-adcp-auth', agent.key])).message).not.toContain('x-adcp-auth')
    }
  })

  it('by a scheme that is not served', async () => {
    for (const [url, body] of [
      [agent.url, capabilities],
      [a2a(), a2aCall],
    ] as const) {
      const { message } = await refusal(url, body, ['Authorization', `Token ${agent.key}`])
      expect(message).toContain('valid schemes: Bearer, Basic')
    }
  })
})

describe('but a request is served', () => {
  const ordinary = [
    'x-csrf-token',
    'cookie',
    'x-forwarded-access-token',
    'x-amz-security-token',
    'cf-access-token',
    'x-request-id',
  ]
  it.each(ordinary)('with %s, which browsers and proxies add', async (header) => {
    expect((await post(agent.url, capabilities, [...JSON_TYPE, header, 'v=1'])).status).toBe(200)
  })

  it('with the same credential in the right place as well', async () => {
    const headers = [...JSON_TYPE, 'x-api-key', agent.key, 'Authorization', `Bearer ${agent.key}`]
    expect((await post(agent.url, callText('list_accounts'), headers)).status).toBe(200)
  })
})

it.each(['debug=1', 'K%C3%A9y=1', '%EF%B7%BA=1'])(
  'another query, such as %s, is a bad request, with or without a key',
  async (query) => {
    for (const headers of [[], ['Authorization', `Bearer ${agent.key}`]]) {
      expect((await post(`${agent.url}?${query}`, capabilities, [...JSON_TYPE, ...headers])).status).toBe(400)
    }
  },
)

describe('a client with a bad credential learns of it when it connects', () => {
  const messages = [
    initialize,
    message('tools/list'),
    message('resources/list'),
    message('resources/read', { uri: 'x' }),
    message('ping'),
  ]
  it.each(messages.map((body) => [JSON.parse(body).method, body]))('%s', async (_method, body) => {
    for (const headers of [
      ['Authorization', 'Bearer sk_000000000000_unknown'],
      ['Authorization', 'Basic d3Jvbmc6d3Jvbmc='],
      ['Authorization', 'Token x'],
      ['x-adcp-auth', 'sk_000000000000_unknown'],
      ['x-api-key', 'x'],
    ]) {
      const reply = await post(agent.url, body, [...JSON_TYPE, ...headers])
      expect([reply.status, reply.body.id, reply.body.error.code]).toEqual([401, 7, -32028])
      expect(reply.headers['www-authenticate']).toMatch(/^(Bearer|Basic) realm="/)
    }
  })

  it('and one with a good credential, or none, connects', async () => {
    for (const headers of [[], ['Authorization', `Bearer ${agent.key}`], ['x-adcp-auth', agent.key]]) {
      for (const body of [initialize, message('tools/list')]) {
        expect((await post(agent.url, body, [...JSON_TYPE, ...headers])).status).toBe(200)
      }
    }
  })
})
