import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registryEntry } from '../../../src/domain/identity/server-entry.ts'
import { VERSION } from '../../../src/platform/version.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const PUBLIC = 'https://ads.seller.example'
let agent: TestAgent
let local: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, flags: { publicUrl: PUBLIC } })
  await agent.addBuyer({ principal: 'buyer', tenant: 'globex' })
  local = await startAgent()
})
afterAll(async () => {
  await agent.stop()
  await local.stop()
})

const get = (path: string, from = agent, init: RequestInit = {}) => fetch(from.url.replace(/\/mcp$/, path), init)

describe('documents by which the MCP server is found', () => {
  it.each([
    ['/mcp/server-card', 'application/mcp-server-card+json'],
    ['/mcp/server.json', 'application/json'],
  ])('%s is public, tagged, and for pages of any origin', async (path, type) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    const tag = answer.headers.get('etag') ?? ''
    expect((await get(path, agent, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await get(path, agent, { method: 'OPTIONS' })).headers.get('access-control-allow-methods')).toBe('GET')
    expect((await get(path, agent, { method: 'POST' })).status).toBe(405)
  })

  it('name each publisher once, with the address of its server', async () => {
    const seen = []
    for (const at of ['', '/t/globex']) {
      for (const document of ['server-card', 'server.json']) {
        const entry = (await (await get(`${at}/mcp/${document}`)).json()) as Record<string, unknown>
        expect(entry).toMatchObject({ version: VERSION, remotes: [{ type: 'streamable-http', url: `${PUBLIC}${at}/mcp` }] })
        seen.push(entry.name)
      }
    }
    const [mine, theirs] = ['example.seller.ads/sales-agent', 'example.seller.ads/sales-agent.globex']
    expect(seen).toEqual([mine, mine, theirs, theirs])
  })

  it('the card names the revisions that the server speaks, each of which a client can use', async () => {
    const card = (await (await get('/mcp/server-card')).json()) as { remotes: { supportedProtocolVersions: string[] }[] }
    const [newest = '', ...older] = card.remotes[0]?.supportedProtocolVersions ?? []
    const client = new Client({ name: 'x', version: '1' }, { versionNegotiation: { mode: { pin: newest } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(agent.url)))
    expect(client.getNegotiatedProtocolVersion()).toBe(newest)
    expect(client.getServerVersion()).toMatchObject({ title: 'AdCP sales agent', version: VERSION })
    const [icon] = client.getServerVersion()?.icons ?? []
    const picture = Buffer.from(icon?.src.replace('data:image/png;base64,', '') ?? '', 'base64')
    expect(icon?.sizes).toEqual([`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`])
    await client.close()
    for (const revision of older) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const headers = { 'content-type': 'application/json', 'mcp-protocol-version': revision }
      expect((await get('/mcp', agent, { method: 'POST', headers, body: JSON.stringify(body) })).status, revision).toBe(200)
    }
  })

  it('are not there without an address to publish, or a publisher', async () => {
    expect(await (await get('/mcp/server.json', local)).json()).toMatchObject({ error: { code: 'REFERENCE_NOT_FOUND' } })
    expect((await get('/mcp/server-card', local)).status).toBe(404)
    expect((await get('/t/nobody/mcp/server.json')).status).toBe(404)
  })

  it.each([
    ['https://192.0.2.7', false],
    ['https://[2001:db8::1]', false],
    ['https://localhost', false],
    ['http://ads.example.com', false],
    ['https://ads.example.com:8443', true],
    ['https://xn--bcher-kva.example', true],
  ])('%s: %s', (origin, isPublished) => {
    const entry = registryEntry({ origin, path: '/mcp', publisherName: 'News', version: '1.0.0' })
    expect(entry !== undefined).toBe(isPublished)
  })

  it('cut long names of publishers between characters', () => {
    const publisherName = '🗞'.repeat(150)
    const entry = registryEntry({ origin: PUBLIC, path: '/mcp', publisherName, version: '1' }) as Record<string, string>
    for (const text of [entry.title, entry.description]) {
      expect([...(text ?? '')].length).toBe(100)
      expect(Buffer.from(text ?? '').toString()).toBe(text)
    }
  })
})
