import { A2AClient } from '@a2a-js/sdk/client'
import { ClientFactory } from 'a2a/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_TASKS } from '../../support/base-tasks.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
let origin: string

beforeAll(async () => {
  agent = await startAgent({ demo: true, sandbox: true })
  origin = new URL(agent.url).origin
})
afterAll(() => agent.stop())

const PUBLIC = BASE_TASKS.filter(({ sandboxOnly }) => !sandboxOnly).map(({ name }) => name)
const headersOf = (key?: string, version?: string) => ({
  ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  ...(version !== undefined && { 'A2A-Version': version }),
})

async function read(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}${path}`, { headers })
  expect(response.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: judged by assertions
  const card: any = await response.json()
  return { response, card, text: JSON.stringify(card) }
}

describe('the agent card', () => {
  it.each([
    '/.well-known/agent-card.json',
    '/.well-known/agent.json',
    '/a2a/.well-known/agent-card.json',
    '/a2a/.well-known/agent.json',
  ])('of 0.3 is at %s', async (path) => {
    const { card } = await read(path)
    expect(card).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${origin}/a2a`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true, pushNotifications: true },
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' }, basicAuth: { type: 'http', scheme: 'basic' } },
      security: [{ bearerAuth: [] }, { basicAuth: [] }],
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
    })
    for (const name of ['name', 'description', 'version']) expect(card[name]).toMatch(/\S/)
  })

  it('of 1.0 is for clients that say so', async () => {
    const { card } = await read('/.well-known/agent-card.json', headersOf(undefined, '1.0'))
    expect(card).not.toHaveProperty('url')
    expect(card).toMatchObject({
      supportedInterfaces: [
        { url: `${origin}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${origin}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      securitySchemes: {
        bearerAuth: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        basicAuth: { httpAuthSecurityScheme: { scheme: 'Basic' } },
      },
      securityRequirements: [{ schemes: { bearerAuth: {} } }, { schemes: { basicAuth: {} } }],
    })
  })

  it.each([undefined, '1.0'])('has a skill for every task, and never the old header (%s)', async (version) => {
    const { card, text } = await read('/.well-known/agent-card.json', headersOf(undefined, version))
    expect(card.skills.map(({ id }: { id: string }) => id)).toEqual(PUBLIC)
    for (const skill of card.skills) {
      expect(skill).toMatchObject({
        name: skill.id,
        description: expect.stringMatching(/\S/),
        tags: ['adcp', expect.any(String)],
      })
    }
    expect(text.toLowerCase()).not.toContain('x-adcp-auth')
    expect(text.toLowerCase()).not.toContain('apikey')
  })

  it('shows the controller to sandbox agents only; who is not known sees what everybody sees', async () => {
    const sandbox = await agent.addBuyer({ tenant: agent.tenant, principal: 'sandbox', sandbox: true })
    const skills = async (key?: string) => {
      const { card, response } = await read('/.well-known/agent-card.json', headersOf(key))
      return { ids: card.skills.map(({ id }: { id: string }) => id), cache: response.headers.get('cache-control') }
    }
    expect((await skills(sandbox)).ids).toContain('comply_test_controller')
    for (const key of [
      undefined,
      await agent.addBuyer({ tenant: agent.tenant, principal: 'production' }),
      'sk_000000000000_wrong',
    ]) {
      expect((await skills(key)).ids).not.toContain('comply_test_controller')
    }
    expect((await skills(sandbox)).cache).toContain('private')
    expect((await skills()).cache).toContain('public')
  })

  it('names the address of a publisher that has one of its own', async () => {
    const { card } = await read('/t/acme/a2a/.well-known/agent-card.json')
    expect(card.url).toBe(`${origin}/t/acme/a2a`)
    expect((await read('/t/acme/.well-known/agent-card.json')).card.url).toBe(card.url)
  })

  it('is conditional, and read-only', async () => {
    const { response } = await read('/.well-known/agent-card.json')
    const again = await fetch(`${origin}/.well-known/agent-card.json`, {
      headers: { 'If-None-Match': response.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
    expect(response.headers.get('vary')).toBe('Authorization, A2A-Version')
    expect((await fetch(`${origin}/.well-known/agent-card.json`, { method: 'POST' })).status).toBe(405)
    const head = await fetch(`${origin}/.well-known/agent-card.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('is what the clients of both revisions look for', async () => {
    const old = await A2AClient.fromCardUrl(`${origin}/.well-known/agent-card.json`)
    expect((await old.getAgentCard()).url).toBe(`${origin}/a2a`)
    const current = await new ClientFactory().createFromUrl(origin)
    expect(current.protocolVersion).toBe('1.0')
  })
})
