import { createServer } from 'node:net'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FetchFailure } from '../../../src/platform/net/fetch-policy.ts'
import { type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'

const ID = 'https://assistant.example/client.json'
const DOCUMENT = {
  client_id: ID,
  client_name: 'Assistant by address',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
}

/** What hosts answer with, by address; a text is sent as it is. */
const hosts = new Map<string, unknown>([[ID, DOCUMENT]])
const asked: string[] = []

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent({
    async safeFetch(url, { policy }) {
      asked.push(url)
      const found = hosts.get(url)
      if (found === undefined) throw new FetchFailure('dns', 'no such host')
      const body = Buffer.from(typeof found === 'string' ? found : JSON.stringify(found))
      if (body.length > policy.maxBytes) throw new FetchFailure('too_large', `longer than ${policy.maxBytes} bytes`)
      const rest = { etag: undefined, lastModified: undefined, retryAfter: undefined }
      return { status: 200, url, body, contentType: 'application/json', ...rest }
    },
  })
})
afterAll(() => agent.stop())

const authorize = async (clientId: string, change = {}) => {
  const response = await fetch(agent.request(clientId, change).url, { redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

it('an assistant connects by the address of its document, with the official MCP client, and is nowhere registered', async () => {
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let known: OAuthClientInformationMixed | undefined
  let authorizationUrl: URL | undefined
  const authProvider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadataUrl: ID,
    clientMetadata: { client_name: 'Assistant by address', redirect_uris: [REDIRECT] },
    clientInformation: () => known,
    saveClientInformation: (information) => {
      known = information
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    redirectToAuthorization: (url) => {
      authorizationUrl = url
    },
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
  const first = new StreamableHTTPClientTransport(new URL(`${agent.origin}/mcp`), { authProvider })
  const client = new Client({ name: 'assistant', version: '1' })
  await client.connect(first)
  await expect(client.callTool({ name: 'list_accounts', arguments: {} })).rejects.toThrow()
  expect(known?.client_id).toBe(ID)
  const browser = agent.browser()
  const answer = await browser.authorize(String(authorizationUrl), USER.username, USER.password)
  // RFC 9207: which server it is that answers.
  expect(answer.searchParams.get('iss')).toBe(agent.origin)
  await first.finishAuth(answer.searchParams.get('code') ?? '')
  const second = new Client({ name: 'assistant', version: '1' })
  await second.connect(new StreamableHTTPClientTransport(new URL(`${agent.origin}/mcp`), { authProvider }))
  expect((await second.callTool({ name: 'list_accounts', arguments: {} })).structuredContent).toMatchObject({ accounts: [] })
  expect(asked, 'read once for all steps').toEqual([ID])
  const rows = await agent.server.store.read.selectFrom('oauth_records').select('kind').where('kind', '=', 'Client').execute()
  expect(rows).toEqual([])
  await client.close()
  await second.close()
})

describe('the document of a client', () => {
  it.each<[string, unknown, RegExp]>([
    ['is no JSON', '<html>', /no JSON/],
    ['is a list', [DOCUMENT], /no JSON object/],
    ['is of another client', { ...DOCUMENT, client_id: 'https://other.example/client.json' }, /client_id/],
    ['holds a secret', { ...DOCUMENT, client_secret: 'x' }, /client_secret/],
    ['has no redirect', { ...DOCUMENT, redirect_uris: undefined }, /redirect_uris is a list/],
    ['sends codes in clear', { ...DOCUMENT, redirect_uris: ['http://assistant.example/back'] }, /redirect URI is https/],
    ['has a name that hides letters', { ...DOCUMENT, client_name: 'Assist\u202eant' }, /client_name/],
    ['is too long', { ...DOCUMENT, note: 'x'.repeat(6000) }, /longer than 5120 bytes/],
  ])('that %s is refused with the reason', async (_what, document, reason) => {
    const id = `https://refused.example/${hosts.size}/client.json`
    const own = typeof document === 'object' && !Array.isArray(document) && Reflect.get(document ?? {}, 'client_id') === ID
    hosts.set(id, own ? { ...(document as object), client_id: id } : document)
    const { status, text } = await authorize(id)
    expect(status).toBe(400)
    expect(text).toMatch(reason)
  })

  it('counts as far as it is offered here: other scopes and grants have no effect', async () => {
    const id = 'https://wide.example/client.json'
    const grants = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']
    hosts.set(id, {
      ...DOCUMENT,
      client_id: id,
      grant_types: grants,
      scope: 'openid email',
      jwks_uri: 'https://wide.example/keys',
    })
    const { status } = await authorize(id)
    expect([302, 303]).toContain(status)
    expect(asked).not.toContain('https://wide.example/keys')
  })

  it('takes no address that its document does not name', async () => {
    const { status, text } = await authorize(ID, { redirect_uri: 'https://thief.example/back' })
    expect([status, text]).toEqual([400, expect.stringContaining('redirect_uri')])
  })

  it('is named to the person who agrees', async () => {
    const browser = agent.browser()
    const { html: login } = await browser.open(agent.request(ID).url)
    const { html } = await browser.submit(login, 'login', { username: USER.username, password: USER.password })
    expect(html).toContain(`It is described at <code>${ID}</code>`)
  })

  it.each(['http://assistant.example/client.json', 'https://user@assistant.example/c', 'ftp://a.example/c'])(
    'is not looked for at %s',
    async (id) => {
      const before = asked.length
      expect([(await authorize(id)).status, asked.length]).toEqual([400, before])
    },
  )

  it('is not read from this machine', async () => {
    const other = await startOauthAgent()
    let connections = 0
    const server = createServer(() => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const response = await fetch(other.request(`https://127.0.0.1:${port}/client.json`).url, { redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('the host cannot be reached')])
    expect(connections).toBe(0)
    server.close()
    await other.stop()
  })

  it('is read a bounded number of times for one address', async () => {
    const before = asked.length
    const form = (index: number) => ({
      grant_type: 'authorization_code',
      code: 'x',
      client_id: `https://many-${index}.example/client.json`,
    })
    const codes = await Promise.all(Array.from({ length: 90 }, async (_, index) => (await agent.token(form(index))).status))
    expect(asked.length - before).toBeLessThanOrEqual(60)
    expect(codes.every((status) => (status >= 400 && status < 500) || status === 503)).toBe(true)
  })
})

it('says that it takes such clients, and without registration takes none', async () => {
  const supported = async (origin: string) => {
    const response = await fetch(`${origin}/.well-known/oauth-authorization-server`)
    return JSON.parse(await response.text()).client_id_metadata_document_supported
  }
  expect(await supported(agent.origin)).toBe(true)
  const closed = await startOauthAgent({ flags: { 'oauth.registration': false } })
  expect(await supported(closed.origin)).toBeUndefined()
  const refused = await fetch(closed.request(ID).url, { redirect: 'manual' })
  expect(refused.status).toBe(400)
  await closed.stop()
})
