import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FakeWeb } from '../../support/fake-web/fake-web.ts'
import { type OauthAgent, startOauthAgent } from '../../support/oauth-agent.ts'
import { AGENT, PUBLISHER, startRegistryWorld } from '../../support/registry-world.ts'

let web: FakeWeb
let agent: OauthAgent
let forRegistry: string
let forAgent: string

beforeAll(async () => {
  web = await startRegistryWorld()
  agent = await startOauthAgent({ safeFetch: web.fetch() })
  forRegistry = (await agent.tokens({ resource: `${agent.origin}/api`, scope: 'registry' })).access_token
  forAgent = (await agent.tokens()).access_token
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

const register = (token?: string) =>
  fetch(`${agent.origin}/api/registry/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ agent_url: AGENT }),
  })

describe('tokens of the authorization server', () => {
  it('for the registry write to it, and are no credential for the agent', async () => {
    expect((await register(forRegistry)).status).toBe(201)
    const buying = await agent
      .client(forRegistry)
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts' } })
    expect(buying.status).toBe(401)
  })

  it('for the agent are refused by the registry, which says where to get one', async () => {
    for (const token of [forAgent, undefined]) {
      const reply = await register(token)
      expect(reply.status).toBe(401)
      const challenge = reply.headers.get('www-authenticate') ?? ''
      expect(challenge).toContain(`resource_metadata="${agent.origin}/.well-known/oauth-protected-resource/api"`)
      const metadata = await (await fetch(`${agent.origin}/.well-known/oauth-protected-resource/api`)).json()
      expect(metadata).toMatchObject({ resource: `${agent.origin}/api`, scopes_supported: ['registry'] })
    }
  })
})

describe('the registry over MCP', () => {
  const requestInit = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })
  const url = () => new URL(`${agent.origin}/api/mcp`)

  it('lists and calls its tools for both generations of the official client', async () => {
    const legacy = new Client({ name: 'assistant', version: '1' })
    await legacy.connect(new StreamableHTTPClientTransport(url(), requestInit(forRegistry)))
    const modern = new ModernClient({ name: 'assistant', version: '1' })
    await modern.connect(new ModernTransport(url(), requestInit(forRegistry)))
    for (const client of [legacy, modern]) {
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      expect(names).toEqual(
        expect.arrayContaining(['list_agents', 'resolve_brand', 'get_agent_domains', 'save_agent', 'request_crawl']),
      )
      const found = await client.callTool({ name: 'list_agents', arguments: { capability: 'get_products', channel: 'ctv' } })
      expect(found.structuredContent).toMatchObject({ agents: [{ agent_url: AGENT }], next_cursor: null })
      const limit = tools.find(({ name }) => name === 'list_agents')?.inputSchema.properties?.limit
      expect(limit).toMatchObject({ maximum: 1000, default: 50 })
      const nothing = await client.callTool({ name: 'resolve_brand', arguments: { domain: 'nobody.example' } })
      expect(nothing).toMatchObject({ isError: true, structuredContent: { code: 'not_found' } })
      const wrong = await client.callTool({ name: 'list_agents', arguments: { limit: 0 } })
      expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'invalid_limit' } })
      await expect(client.callTool({ name: 'get_products', arguments: {} })).rejects.toThrow('no such tool')
    }
    const asked = await legacy.callTool({ name: 'request_crawl', arguments: { domain: PUBLISHER } })
    expect(asked.structuredContent).toMatchObject({ domain: PUBLISHER })
    await legacy.close()
    await modern.close()
  })

  it('says nothing to whoever has no platform identity', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const [token, status] of [
      [undefined, 401],
      [forAgent, 401],
      [agent.key, 403],
    ] as const) {
      const response = await fetch(url(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(message),
      })
      expect(response.status).toBe(status)
      expect(response.headers.get('www-authenticate')).toContain('oauth-protected-resource/api')
    }
  })
})
