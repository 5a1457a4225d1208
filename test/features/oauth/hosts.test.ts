import { readFileSync } from 'node:fs'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT, type OauthAgent, startOauthAgent, USER } from '../../support/oauth-agent.ts'

const page = readFileSync(new URL('../../../docs/connect.md', import.meta.url), 'utf8')
const PLACEHOLDER = 'https://ads.example.com'

interface Connection {
  readonly url: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}
interface HostFile {
  readonly mcpServers?: Readonly<Record<string, Connection>>
  readonly servers?: Readonly<Record<string, Connection>>
  readonly inputs?: readonly { readonly id: string }[]
}

/** The configurations of the page. */
const files = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, block = '']) => JSON.parse(block) as HostFile)
const connections = files.flatMap((file) =>
  Object.values({ ...file.mcpServers, ...file.servers }).map(
    (connection) => [JSON.stringify(connection), file, connection] as const,
  ),
)
/** The redirect addresses of its table. */
const redirects = [...page.matchAll(/^\| [^|]+ \| `([a-z]+:\/\/[^`]+)` \|$/gm)].map(([, address = '']) => address)

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent()
})
afterAll(() => agent.stop())

it('has configurations and redirect addresses', () => {
  expect(connections.length).toBeGreaterThanOrEqual(5)
  expect(redirects.length).toBeGreaterThanOrEqual(9)
})

describe('configurations of docs/connect.md', () => {
  it.each(connections)('%s', async (_text, file, { url, headers = {} }) => {
    expect(url.startsWith(`${PLACEHOLDER}/`)).toBe(true)
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace(/\$\{([^}]+)\}/g, inPlace(file))])
    const requestInit = { headers: Object.fromEntries(filled) }
    const address = new URL(url.replace(PLACEHOLDER, agent.origin))
    const old = new Client({ name: 'host', version: '1' })
    await old.connect(new StreamableHTTPClientTransport(address, { requestInit }) as never)
    const modern = new ModernClient({ name: 'host', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await modern.connect(new ModernTransport(address, { requestInit }))
    for (const client of [old, modern]) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(20)
      const accounts = client.callTool({ name: 'list_accounts', arguments: {} })
      // Without a key the answer starts the login: HTTP 401.
      if (filled.length === 0) await expect(accounts).rejects.toThrow(/401|Unauthorized|credentials/i)
      else expect(await accounts).toMatchObject({ structuredContent: { accounts: [] } })
      await client.close()
    }
  })
})

/** What a host puts in place of a variable: the key of the buyer. */
function inPlace(file: HostFile) {
  return (_whole: string, variable: string) => {
    const [kind, name] = variable.split(':')
    if (kind === 'input') expect(file.inputs?.map(({ id }) => id)).toContain(name)
    else expect(kind).toBe('env')
    return agent.key
  }
}

describe('redirect addresses of docs/connect.md', () => {
  it.each(redirects)('%s is registered, and led back to after a login', async (address) => {
    await signIn([address], address)
  })

  it('another port on loopback will do', async () => {
    const registered = redirects.filter((address) => /vscode\.dev|33418/.test(address))
    await signIn(['http://127.0.0.1/', ...registered], 'http://127.0.0.1:59656/')
  })

  it('a scheme that any program may claim is refused, as the page says', async () => {
    const [scheme = ''] = /cursor:\/\/[^`]+/.exec(page) ?? []
    const { status, body } = await agent.register({ ...CLIENT, redirect_uris: [scheme] })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })
})

/** A client with these redirects gets tokens at one of them. */
async function signIn(redirect_uris: readonly string[], used: string): Promise<void> {
  const { status, body } = await agent.register({ ...CLIENT, redirect_uris })
  expect(status, JSON.stringify(body)).toBe(201)
  const clientId = String(body.client_id)
  const { url, verifier } = agent.request(clientId, { redirect_uri: used })
  const answer = await agent.browser().authorize(url, USER.username, USER.password)
  expect(answer.href.startsWith(used), answer.href).toBe(true)
  const exchanged = await agent.token({
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    client_id: clientId,
    redirect_uri: used,
    code_verifier: verifier,
  })
  expect(exchanged.body).toMatchObject({ access_token: expect.any(String) })
}

describe('what directories ask for', () => {
  const toolsAt = async (path: string, key: string | undefined): Promise<Tool[]> => {
    const client = new Client({ name: 'directory', version: '1' })
    const requestInit = { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(agent.url + path), { requestInit }) as never)
    const { tools } = await client.listTools()
    await client.close()
    return tools
  }

  it.each([
    ['/mcp', ''],
    ['/mcp/compact', '/compact'],
  ])('every tool of %s has a title, a short name, and says whether it reads or may take away', async (_address, path) => {
    for (const key of [undefined, agent.key]) {
      for (const { name, title, annotations = {} } of await toolsAt(path, key)) {
        expect(title, name).toMatch(/\S/)
        expect(name).toMatch(/^[a-z][a-z0-9_-]{0,63}$/)
        const { readOnlyHint, destructiveHint } = annotations
        expect(readOnlyHint === true || typeof destructiveHint === 'boolean', name).toBe(true)
        expect(readOnlyHint === true && destructiveHint === true, name).toBe(false)
      }
    }
  })

  it('the tools of /mcp/compact have every hint', async () => {
    for (const { name, annotations } of await toolsAt('/compact', agent.key))
      expect(annotations, name).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      })
  })

  it('a login is found from the answer 401 on: resource, server, PKCE, registration and documents of clients', async () => {
    const refused = await fetch(agent.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }),
    })
    expect(refused.status).toBe(401)
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
    const resource = await json(metadata)
    expect(resource.resource).toBe(agent.url)
    const [server] = resource.authorization_servers as string[]
    expect(await json(`${server}/.well-known/oauth-authorization-server`)).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      registration_endpoint: expect.any(String),
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  })

  const json = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>
})
