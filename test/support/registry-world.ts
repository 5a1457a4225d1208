import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FakeWeb, json, startFakeWeb, wellKnown } from './fake-web/fake-web.ts'

export const AGENT = 'https://sales.agent.example/mcp'
export const PUBLISHER = 'daily.example'
export const BRAND = 'nova.example'

export const CAPABILITIES = {
  adcp: { major_versions: [3] },
  supported_protocols: ['media_buy'],
  media_buy: { portfolio: { publisher_domains: [PUBLISHER], primary_channels: ['ctv', 'display'] } },
}

/** An MCP server by what it says: tools by name, and the payload of get_adcp_capabilities. */
export function mcpPage(agent: { tools: readonly string[]; capabilities: object; name?: string }) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-03-26',
          capabilities: {},
          serverInfo: { name: agent.name ?? 'Agent', version: '1' },
        },
        'tools/list': { tools: agent.tools.map((name) => ({ name, inputSchema: { type: 'object' } })) },
        'tools/call': { structuredContent: agent.capabilities, content: [] },
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: results[message.method] }))
    })
  }
}

export const property = (over: object = {}) => ({
  property_id: 'daily_site',
  property_type: 'website',
  name: 'Daily',
  identifiers: [{ type: 'domain', value: PUBLISHER }],
  ...over,
})

export const grant = (over: object = {}) => ({
  url: AGENT,
  authorized_for: 'Everything',
  authorization_type: 'property_ids',
  property_ids: ['daily_site'],
  ...over,
})

/** A web with one agent, one publisher that authorises it, and one brand. */
export async function startRegistryWorld(): Promise<FakeWeb> {
  const web = await startFakeWeb()
  web.put(
    AGENT,
    mcpPage({ tools: ['get_products', 'create_media_buy', 'echo'], capabilities: CAPABILITIES, name: 'Daily Sales' }),
  )
  web.put(wellKnown(PUBLISHER), json({ properties: [property()], authorized_agents: [grant()] }))
  web.put(
    `https://${BRAND}/.well-known/brand.json`,
    json({
      house: {
        domain: BRAND,
        name: 'Nova Group',
        agents: [{ type: 'brand', url: 'https://brand.nova.example/mcp', id: 'nova' }],
      },
      brands: [{ id: 'nova', names: [{ en: 'Nova' }], url: `https://${BRAND}` }],
      authorized_operators: [{ domain: 'agency.example', brands: ['*'] }],
    }),
  )
  return web
}
