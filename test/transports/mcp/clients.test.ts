import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { type McpTestServer, startMcpTestServer } from './mcp-test-server.ts'

const INFO = { name: 'test-client', version: '1' }

/** What the three clients have in common, as far as these tests go. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>
  listResources(): Promise<{ resources: { uri: string; name: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>
  getServerVersion(): { name: string } | undefined
  close(): Promise<void>
}

let mcp: McpTestServer
beforeAll(async () => {
  mcp = await startMcpTestServer()
})
afterAll(() => mcp.close())

const clients: [string, (url: URL) => Promise<AnyClient>][] = [
  [
    'the 1.x client',
    async (url) => {
      const client = new Client(INFO)
      await client.connect(new StreamableHTTPClientTransport(url) as never)
      return client as unknown as AnyClient
    },
  ],
  [
    'the 2.x client on a 2025 revision',
    async (url) => {
      const client = new ModernClient(INFO)
      await client.connect(new ModernTransport(url))
      return client as unknown as AnyClient
    },
  ],
  [
    'the 2.x client on 2026-07-28',
    async (url) => {
      const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      await client.connect(new ModernTransport(url))
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
      return client as unknown as AnyClient
    },
  ],
]

describe.each(clients)('%s', (_name, open) => {
  let client: AnyClient
  beforeAll(async () => {
    client = await open(mcp.url)
  })
  afterAll(() => client.close())

  test('knows the server and its tools', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'test-agent' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_products', 'create_media_buy', 'get_task_status']))
  })

  test('calls tools, listed or not', async () => {
    expect(await client.callTool({ name: 'get_adcp_capabilities', arguments: { context: { a: 1 } } })).toMatchObject({
      structuredContent: { status: 'completed', context: { a: 1 } },
      content: [{ type: 'text' }],
    })
    expect(await client.callTool({ name: 'tasks/get', arguments: { task_id: 't_1' } })).toMatchObject({
      structuredContent: { status: 'submitted' },
    })
    expect(await client.callTool({ name: 'get_media_buys', arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', adcp_error: { code: 'VALIDATION_ERROR', field: 'account' } },
    })
  })

  test('sees a refusal of the transport as an error', async () => {
    await expect(client.callTool({ name: 'list_accounts', arguments: {} })).rejects.toThrow()
  })

  test('reads a full schema with everything it refers to', async () => {
    const { resources } = await client.listResources()
    const { uri } = resources.find(({ name }) => name === 'create_media_buy request')!
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    const missing = [uri]
    const seen = new Set(missing)
    for (let next = missing.pop(); next !== undefined; next = missing.pop()) {
      const text = (await client.readResource({ uri: next })).contents[0]?.text ?? ''
      const schema = JSON.parse(text)
      ajv.addSchema(schema)
      for (const [, reference] of text.matchAll(/"\$ref":"(\/[^"#]+)/g)) {
        const absolute = new URL(reference!, next).href
        if (!seen.has(absolute)) missing.push(absolute)
        seen.add(absolute)
      }
    }
    const validate = ajv.getSchema('/schemas/3.0.6/media-buy/create-media-buy-request.json')!
    expect(validate({})).toBe(false)
    expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe('adcp://contract/schemas/{+path}')
  })

  test.each([
    'adcp://contract/schemas/3.0.6/../../../package.json',
    'adcp://contract/own/../package.json',
    'file:///etc/passwd',
    'own:config.json',
    'adcp://contract/schemas/3.0.6/no-such.json',
  ])('gets an error for %s', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toThrow()
  })
})

test('a bad credential on tools/list is refused by the transport', async () => {
  const refusing = await startMcpTestServer({
    listTasks: async () => {
      throw new AdcpError('AUTH_INVALID', 'The credential is not valid', {
        http: { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      })
    },
  })
  const client = new Client(INFO)
  await client.connect(new StreamableHTTPClientTransport(refusing.url) as never)
  await expect(client.listTools()).rejects.toThrow()
  await client.ping()
  await client.close()
  await refusing.close()
})
