import { generateKeyPairSync } from 'node:crypto'
import { CompactSign } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addAgentKeySource } from '../../../src/store/identity/agent-key-sources.ts'
import { addPrincipal } from '../../../src/store/identity/principals.ts'
import { AGENT_URL, callText, post, signed, signingKey } from '../../support/credentials.ts'
import { type FakeWeb, json, type Page, startFakeWeb, status } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const KEYS = 'https://keys.example.com/jwks.json'
const BRAND = 'https://example.com/.well-known/brand.json'
const LISTS = ['keys.example.com', 'example.com'].map((host) => `https://${host}/.well-known/governance-revocations.json`)

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())

let agent: TestAgent
let clock: Date
beforeEach(async () => {
  clock = new Date()
  agent = await startAgent({ safeFetch: web.fetch(), clock: () => clock })
})
afterEach(async () => {
  await agent.stop()
  for (const url of [KEYS, BRAND, AGENT_URL, ...LISTS]) web.remove(url)
  web.forgetRequests()
})

/** Registers where the agent's keys are; gives a function that signs a call with a key and reports status and challenge. */
async function register(kind: 'jwks_uri' | 'brand_json', value: string, agentUrl = AGENT_URL) {
  const { store } = agent.server
  await store.transaction(async (tx) => {
    const principal = { tenantId: 'acme', principalId: agentUrl, name: 'signer', agentUrl, sandbox: false, scopes: ['adcp:*'] }
    await addPrincipal(tx, principal, clock)
    await addAgentKeySource(tx, { tenantId: 'acme', principalId: agentUrl, kind, value }, clock)
  })
}

async function callWith(key: ReturnType<typeof signingKey>): Promise<[number, unknown]> {
  const body = callText('list_accounts')
  const reply = await post(agent.url, body, await signed(agent.url, body, key.signer, { now: clock }))
  return [reply.status, reply.headers['www-authenticate']]
}

/** What was fetched beside the agents' lists of what they took back. */
const keyRequests = () => web.requests.filter((url) => !url.endsWith('/governance-revocations.json'))

const refusal = (fault: string) => [401, `Signature error="request_signature_${fault}"`]
const OK = [200, undefined]
const brandOf = (entry: object) => json({ agents: [{ type: 'buying', url: AGENT_URL, ...entry }] })

describe('keys at a jwks_uri', () => {
  it('are fetched when a signature asks for one, and once', async () => {
    const key = signingKey('k1')
    web.put(KEYS, json({ keys: [key.jwk] }))
    await register('jwks_uri', KEYS)
    expect(await callWith(key)).toEqual(OK)
    expect(await callWith(key)).toEqual(OK)
    expect(keyRequests()).toEqual([KEYS])
  })

  it('a new key is found at the next look, which an unknown key causes at most every 30 s', async () => {
    const [old, fresh] = [signingKey('k1'), signingKey('k2')]
    web.put(KEYS, json({ keys: [old.jwk] }))
    await register('jwks_uri', KEYS)
    expect(await callWith(old)).toEqual(OK)
    web.put(KEYS, json({ keys: [old.jwk, fresh.jwk] }))
    expect(await callWith(fresh)).toEqual(refusal('key_unknown'))
    clock = new Date(clock.getTime() + 31_000)
    expect(await callWith(fresh)).toEqual(OK)
    expect(keyRequests()).toEqual([KEYS, KEYS])
  })

  it('many unknown keys cause few fetches, the fewer each the more agents there are', async () => {
    const agents = 60
    for (let i = 0; i < agents; i++) {
      web.put(`https://keys.example.com/${i}.json`, json({ keys: [] }))
      await register('jwks_uri', `https://keys.example.com/${i}.json`, `https://agent-${i}.example.com/mcp`)
    }
    expect(await callWith(signingKey('x0'))).toEqual(refusal('key_unknown'))
    expect(web.requests).toHaveLength(agents)
    clock = new Date(clock.getTime() + 45_000)
    expect(await callWith(signingKey('x1'))).toEqual(refusal('key_unknown'))
    expect(web.requests).toHaveLength(agents)
    clock = new Date(clock.getTime() + 20_000)
    await callWith(signingKey('x2'))
    expect(web.requests).toHaveLength(2 * agents)
  })

  it.each([
    ['down', status(503), 'jwks_unavailable'],
    ['gone', status(404), 'key_unknown'],
    ['a redirect', status(302, '', { location: KEYS }), 'jwks_untrusted'],
    ['too large', json({ keys: [], filler: 'x'.repeat(70_000) }), 'jwks_untrusted'],
  ])('%s', async (_name, page: Page, fault) => {
    web.put(KEYS, page)
    await register('jwks_uri', KEYS)
    expect(await callWith(signingKey('k1'))).toEqual(refusal(fault))
  })
})

describe('keys of a brand', () => {
  it('of a registered domain: brand.json names the agent and its key set', async () => {
    const key = signingKey('k1')
    web.put(BRAND, brandOf({ jwks_uri: KEYS }))
    web.put(KEYS, json({ keys: [key.jwk] }))
    await register('brand_json', 'example.com')
    expect(await callWith(key)).toEqual(OK)
  })

  it('a brand.json without this agent proves nothing', async () => {
    const key = signingKey('k1')
    web.put(BRAND, json({ agents: [{ url: 'https://other.example.com/mcp', jwks_uri: KEYS }] }))
    web.put(KEYS, json({ keys: [key.jwk] }))
    await register('brand_json', 'example.com')
    expect(await callWith(key)).toEqual(refusal('agent_not_in_brand_json'))
  })

  const capabilities = { identity: { brand_json_url: BRAND } }
  const replyTo = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result })

  it.each(['plain JSON', 'an event stream with a session'])('by asking the agent itself, who answers with %s', async (style) => {
    const key = signingKey('k1')
    const methods: string[] = []
    web.put(AGENT_URL, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        methods.push(method)
        const result =
          method === 'initialize' ? { protocolVersion: '2025-03-26' } : { content: [], structuredContent: capabilities }
        if (style === 'plain JSON') {
          response.writeHead(200, { 'content-type': 'application/json' }).end(replyTo(id, result))
          return
        }
        if (method !== 'initialize' && request.headers['mcp-session-id'] !== 's1') {
          response.writeHead(400).end()
          return
        }
        response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's1' })
        response.end(id === undefined ? '' : `event: message\ndata: ${replyTo(id, result)}\n\n`)
      })
    })
    web.put(BRAND, brandOf({ jwks_uri: KEYS }))
    web.put(KEYS, json({ keys: [key.jwk] }))
    await register('brand_json', '')
    expect(await callWith(key)).toEqual(OK)
    const session = style === 'plain JSON' ? [] : ['notifications/initialized']
    expect(methods).toEqual(['initialize', ...session, 'tools/call'])
  })

  it('an agent that does not answer', async () => {
    web.put(AGENT_URL, status(500))
    await register('brand_json', '')
    expect(await callWith(signingKey('k1'))).toEqual(refusal('capabilities_unreachable'))
  })
})

describe('what an agent says of the keys that it took back', () => {
  const MINUTE = 60_000
  const governance = generateKeyPairSync('ed25519')
  const governanceJwk = {
    ...governance.publicKey.export({ format: 'jwk' }),
    ...{ kid: 'gov', alg: 'EdDSA', use: 'sig', key_ops: ['verify'], adcp_use: 'governance-signing' },
  }
  const [AT_KEYS = '', AT_BRAND = ''] = LISTS
  /** Fresh for fifteen minutes from now. */
  const listOf = (issuer: string, kids: string[], signWith = governance.privateKey) => {
    const payload = {
      version: 1,
      issuer,
      updated: clock.toISOString(),
      next_update: new Date(clock.getTime() + 15 * MINUTE).toISOString(),
      revoked_kids: kids,
      revoked_jtis: [],
    }
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'EdDSA', kid: 'gov', typ: 'adcp-gov-revocation+jws' })
      .sign(signWith)
  }
  const serve = (url: string, body: string) => web.put(url, (_request, response) => void response.writeHead(200).end(body))
  const pass = (ms: number) => {
    clock = new Date(clock.getTime() + ms)
  }
  async function signer(kind: 'jwks_uri' | 'brand_json') {
    const key = signingKey('k1')
    web.put(KEYS, json({ keys: [key.jwk, governanceJwk] }))
    web.put(BRAND, brandOf({ jwks_uri: KEYS }))
    await register(kind, kind === 'jwks_uri' ? KEYS : 'example.com')
    return key
  }

  it.each([
    ['jwks_uri', AT_KEYS, 'https://keys.example.com'],
    ['brand_json', AT_BRAND, 'https://example.com'],
  ] as const)('counts, for keys by %s, from the next look at the list on', async (kind, url, issuer) => {
    const key = await signer(kind)
    serve(url, await listOf(issuer, ['another']))
    expect(await callWith(key)).toEqual(OK)
    serve(url, await listOf(issuer, ['another', 'k1']))
    pass(14 * MINUTE)
    expect(await callWith(key)).toEqual(OK)
    pass(MINUTE + 1000)
    expect(await callWith(key)).toEqual(refusal('key_revoked'))
  })

  it('has to stay readable once it was read: four intervals after its time nothing is accepted', async () => {
    const key = await signer('jwks_uri')
    serve(AT_KEYS, await listOf('https://keys.example.com', []))
    expect(await callWith(key)).toEqual(OK)
    web.put(AT_KEYS, status(404))
    pass(74 * MINUTE)
    expect(await callWith(key)).toEqual(OK)
    pass(2 * MINUTE)
    expect(await callWith(key)).toEqual(refusal('revocation_stale'))
    serve(AT_KEYS, await listOf('https://keys.example.com', []))
    pass(MINUTE)
    expect(await callWith(key)).toEqual(OK)
  })

  it.each([
    ['404', status(404)],
    ['403', status(403)],
    ['a page', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')],
    ['a redirect', status(302, '', { location: 'https://www.example.com/' })],
  ] as [string, Page][])('need not be published: %s', async (_name, page) => {
    const key = await signer('jwks_uri')
    web.put(AT_KEYS, page)
    expect(await callWith(key)).toEqual(OK)
    // What was not there before is found at the next look, for which nobody waits.
    serve(AT_KEYS, await listOf('https://keys.example.com', ['k1']))
    web.forgetRequests()
    pass(15 * MINUTE)
    await callWith(key)
    await expect.poll(() => web.requests).toContain(AT_KEYS)
    await expect.poll(() => callWith(key)).toEqual(refusal('key_revoked'))
  })

  it.each([
    ['an origin in trouble', async () => status(503)],
    [
      'a list under a key that is not the agent’s',
      async () => forged(await listOf('https://keys.example.com', [], generateKeyPairSync('ed25519').privateKey)),
    ],
    ['the list of another', async () => forged(await listOf('https://evil.example', []))],
  ] as [string, () => Promise<Page>][])('nobody can tell with %s', async (_name, page) => {
    const key = await signer('jwks_uri')
    web.put(AT_KEYS, await page())
    expect(await callWith(key)).toEqual(refusal('revocation_stale'))
  })

  const forged =
    (body: string): Page =>
    (_request, response) =>
      void response.writeHead(200).end(body)
})
