import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentClient } from '../../support/client.ts'
import { type OauthAgent, startOauthAgent } from '../../support/oauth-agent.ts'
import { startAgent } from '../../support/start-agent.ts'

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent()
})
afterAll(() => agent.stop())

const get = async (path: string) => {
  const response = await fetch(agent.origin + path)
  const body: Record<string, unknown> = JSON.parse(await response.text())
  return { status: response.status, type: response.headers.get('content-type'), body }
}

/** Every document, and what its RFC demands of each member. */
const DOCUMENTS: readonly (readonly [path: string, source: string, member: string, expected: (origin: string) => unknown])[] = [
  [
    '/.well-known/oauth-protected-resource/mcp',
    'RFC 9728 §2, §3.3: exactly the address of the agent',
    'resource',
    (o) => `${o}/mcp`,
  ],
  ['/.well-known/oauth-protected-resource/mcp', 'RFC 9728 §2', 'authorization_servers', (o) => [o]],
  ['/.well-known/oauth-protected-resource/mcp', 'RFC 9728 §2', 'bearer_methods_supported', () => ['header']],
  [
    '/.well-known/oauth-protected-resource/mcp',
    'RFC 9728 §2',
    'scopes_supported',
    () => expect.arrayContaining(['adcp:products']),
  ],
  ['/.well-known/oauth-protected-resource', 'MCP: for clients without a challenge', 'resource', (o) => `${o}/mcp`],
  ['/.well-known/oauth-protected-resource/t/acme/mcp', 'RFC 9728 §2, §3.3', 'resource', (o) => `${o}/t/acme/mcp`],
  ['/.well-known/oauth-protected-resource/api', 'RFC 9728 §2, §3.3', 'resource', (o) => `${o}/api`],
  ['/.well-known/oauth-protected-resource/api', 'RFC 9728 §2', 'authorization_servers', (o) => [o]],
  ['/.well-known/oauth-authorization-server', 'RFC 8414 §2, §3.3: identical to the issuer asked', 'issuer', (o) => o],
  [
    '/.well-known/oauth-authorization-server',
    'RFC 8414 §2: those that it answers in',
    'response_modes_supported',
    () => ['query'],
  ],
  ['/.well-known/oauth-authorization-server', 'RFC 8414 §2', 'authorization_endpoint', (o) => `${o}/oauth/authorize`],
  ['/.well-known/oauth-authorization-server', 'RFC 8414 §2', 'token_endpoint', (o) => `${o}/oauth/token`],
  ['/.well-known/oauth-authorization-server', 'RFC 8414 §2', 'jwks_uri', (o) => `${o}/oauth/jwks`],
  ['/.well-known/oauth-authorization-server', 'RFC 8414 §2', 'response_types_supported', () => ['code']],
  [
    '/.well-known/oauth-authorization-server',
    'OAuth 2.1: no implicit, no client credentials',
    'grant_types_supported',
    () => ['authorization_code', 'refresh_token'],
  ],
  [
    '/.well-known/oauth-authorization-server',
    'RFC 7636 §4.2, OAuth 2.1 §4.1.1',
    'code_challenge_methods_supported',
    () => ['S256'],
  ],
  ['/.well-known/oauth-authorization-server', 'RFC 7591 §3', 'registration_endpoint', (o) => `${o}/oauth/register`],
  ['/.well-known/oauth-authorization-server', 'RFC 7009 §2', 'revocation_endpoint', (o) => `${o}/oauth/revoke`],
  ['/.well-known/oauth-authorization-server', 'RFC 9207 §3', 'authorization_response_iss_parameter_supported', () => true],
  [
    '/oauth/jwks',
    'RFC 7517 §5, no private member',
    'keys',
    () => [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: expect.any(String), x: expect.any(String) }],
  ],
]

describe('metadata', () => {
  it.each(DOCUMENTS)('%s (%s): %s', async (path, _source, member, expected) => {
    const { status, type, body } = await get(path)
    expect(status).toBe(200)
    expect(type).toMatch(/^application\/(jwk-set\+)?json/)
    expect(body[member]).toEqual(expected(agent.origin))
  })

  it('a 401 names it (RFC 9728 §5.1), with and without a token', async () => {
    for (const key of [undefined, 'sk_unknown']) {
      const { status, headers } = await agentClient(agent.url, key).call('list_accounts', {})
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toContain(
        `resource_metadata="${agent.origin}/.well-known/oauth-protected-resource/mcp"`,
      )
    }
  })

  it('a 401 at the address of a tenant names that address and its own document', async () => {
    for (const key of [undefined, 'sk_unknown']) {
      const { headers } = await agentClient(`${agent.origin}/t/acme/mcp`, key).call('list_accounts', {})
      const challenge = headers.get('www-authenticate')
      expect(challenge).toContain(`realm="${agent.origin}/t/acme/mcp"`)
      expect(challenge).toContain(`resource_metadata="${agent.origin}/.well-known/oauth-protected-resource/t/acme/mcp"`)
    }
  })

  it('names no endpoint that is not there, and nothing that is not checked', async () => {
    const { body } = await get('/.well-known/oauth-authorization-server')
    for (const [member, address] of Object.entries(body).filter(([name]) => /_(endpoint|uri)$/.test(name))) {
      const method = /token|revocation|registration|pushed/.test(member) ? 'POST' : 'GET'
      expect((await fetch(String(address), { method })).status, member).not.toBe(404)
    }
    expect(body).not.toHaveProperty('dpop_signing_alg_values_supported')
  })

  it('an answer comes in the query only: a form that sends itself would need a script', async () => {
    const { body } = await agent.register()
    const { url } = agent.request(String(body.client_id), { response_mode: 'form_post' })
    const { html } = await agent.browser().open(url)
    expect(html).toContain('response_mode must be query, or left out')
    expect(html).not.toContain('<script')
  })

  it('tokens can be fetched from a page of the client’s own origin, not from another’s', async () => {
    const { body } = await agent.register({
      client_name: 'Web',
      redirect_uris: ['https://inspector.example/cb', 'com.example.app:/cb'],
    })
    const form = `grant_type=authorization_code&code=x&redirect_uri=x&code_verifier=${'x'.repeat(43)}&client_id=${body.client_id}`
    const allowed = async (origin: string) => {
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch(`${agent.origin}/oauth/token`, { method: 'POST', headers, body: form })
      return response.headers.get('access-control-allow-origin')
    }
    expect(await allowed('https://inspector.example')).toBe('https://inspector.example')
    expect(await allowed('https://evil.example')).toBeNull()
    expect(await allowed('null')).toBeNull()
  })

  it('may be asked for from a page in a browser, with the header of MCP', async () => {
    const ask = { method: 'OPTIONS', headers: { origin: 'https://inspector.example', 'access-control-request-method': 'GET' } }
    const response = await fetch(`${agent.origin}/.well-known/oauth-protected-resource/mcp`, ask)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(response.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
    expect((await fetch(`${agent.origin}/.well-known/oauth-protected-resource/mcp`, { method: 'POST' })).status).toBe(405)
  })

  it('is made with the public address whatever Host and proxy headers say', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const response = await fetch(`${agent.origin}/.well-known/oauth-authorization-server`, { headers })
    expect(await response.text()).not.toContain('evil.example')
  })

  it('is 404 where there is no authorization server, and challenges name none', async () => {
    const plain = await startAgent()
    const origin = `http://127.0.0.1:${plain.server.port}`
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/oauth/jwks']) {
      expect((await fetch(origin + path)).status, path).toBe(404)
    }
    const { headers } = await plain.client().call('list_accounts', {})
    expect(headers.get('www-authenticate')).not.toContain('resource_metadata')
    await plain.stop()
  })

  it('is not started at an address that is readable on the way', async () => {
    const flags = { 'oauth.enabled': true, mode: 'production', publicUrl: 'http://ads.example.com' }
    await expect(startAgent({ flags })).rejects.toThrow(/https/)
  })
})
