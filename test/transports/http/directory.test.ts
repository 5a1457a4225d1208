import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { nextCursor, parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { addDomains, requestRefresh } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../../src/features/directory/shared-documents.ts'
import { createLog } from '../../../src/platform/log.ts'
import { registerAgents } from '../../../src/store/directory/directory-agents.ts'
import { sqliteDriver } from '../../../src/store/sqlite/choose-sqlite-driver.ts'
import { directoryRoute } from '../../../src/transports/http/directory.ts'
import { adsTxt, type FakeWeb, startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const AGENT = 'https://agent.example/mcp'
const IDLESS = 'https://idless.example'
const SIGNALS = 'https://signals.example'
const property = (fields: object = {}) => ({
  property_type: 'website',
  name: 'S',
  identifiers: [{ type: 'domain', value: 'x.example' }],
  property_id: 'p-001',
  ...fields,
})
const grant = (fields: object = {}) => ({
  url: AGENT,
  authorized_for: 'all',
  authorization_type: 'property_ids',
  property_ids: ['p-001'],
  ...fields,
})

/** A caller behind a proxy on this machine: who is on it itself has no limit while developing. */
const PROXIED = { mode: 'development', trustedProxies: ['127.0.0.1'] } as const
const AWAY = { 'x-forwarded-for': '203.0.113.9' }

let web: FakeWeb
let agent: TestAgent
let origin: string
let time = Date.parse('2026-03-01T00:00:00Z')
let openapi: { paths: Record<string, { get: { responses: Record<string, unknown> } }> }

async function crawlAll(deps: RefreshDeps): Promise<void> {
  await requestRefresh(deps, 'all')
  await crawl(deps, { concurrency: 4, maxAgeMs: 0 })
}

beforeAll(async () => {
  web = await startFakeWeb()
  agent = await startAgent({
    clock: () => new Date(time),
    flags: { directory: { requests: 100_000, requestsPerAddress: 100_000 }, trustedProxies: ['127.0.0.1'] },
  })
  origin = agent.url.replace('/mcp', '')
  const deps: RefreshDeps = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock: () => new Date(time),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  const network = ['c.example', 'd.example', 'e.example', 'gone.example'].map((publisher_domain) =>
    property({ publisher_domain }),
  )
  const manager = { properties: network, authorized_agents: [grant()] }
  web.put(wellKnown('a.example'), {
    properties: [property(), property({ property_id: 'p-002' })],
    authorized_agents: [
      grant({ signing_keys: [{ kid: 'k', kty: 'OKP' }] }),
      grant({ url: SIGNALS, authorization_type: 'signal_ids', signal_ids: ['s'] }),
    ],
  })
  web.put(wellKnown('b.example'), { authoritative_location: 'https://files.example/b.json' })
  web.put('https://files.example/b.json', { properties: [property()], authorized_agents: [grant()] })
  web.put(wellKnown('manager.example'), manager)
  web.put(adsTxt('f.example'), 'MANAGERDOMAIN=ads.example')
  web.put(wellKnown('ads.example'), { properties: [property({ publisher_domain: 'f.example' })], authorized_agents: [grant()] })
  web.put(wellKnown('idless.example'), {
    properties: [property({ property_id: undefined, tags: ['t'] })],
    authorized_agents: [grant({ url: IDLESS, authorization_type: 'property_tags', property_tags: ['t'] })],
  })
  await addDomains(deps, ['a.example', 'b.example', 'manager.example', 'f.example', 'idless.example'])
  await crawlAll(deps)
  time += 3_600_000
  web.put(wellKnown('manager.example'), {
    ...manager,
    revoked_publisher_domains: [{ publisher_domain: 'gone.example', revoked_at: '2026-01-01T00:00:00Z' }],
  })
  await requestRefresh(deps, ['manager.example'])
  await crawl(deps, { concurrency: 1, maxAgeMs: 0, domain: 'manager.example' })
  openapi = JSON.parse(await (await fetch(`${origin}/openapi.json`)).text())
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

// biome-ignore lint/suspicious/noExplicitAny: bodies are judged by assertions
type Reply = { status: number; headers: Headers; body: any }

/** Every answer is held against the description at /openapi.json. */
async function get(
  query = '',
  options: { agentUrl?: string; headers?: Record<string, string>; path?: string; method?: string } = {},
): Promise<Reply> {
  const path = options.path ?? `/v1/agents/${encodeURIComponent(options.agentUrl ?? AGENT)}/publishers`
  const response = await fetch(`${origin}${path}${query}`, {
    method: options.method ?? 'GET',
    headers: { 'accept-encoding': 'identity', ...options.headers },
  })
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  conforms(response.status, body)
  return { status: response.status, headers: response.headers, body }
}

function conforms(status: number, body: unknown): void {
  const documented = openapi.paths['/v1/agents/{agent_url}/publishers']?.get.responses
  expect(Object.keys(documented ?? {})).toContain(String(status))
  if (body === undefined) return
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(openapi, 'api')
  const pointer = `/paths/~1v1~1agents~1{agent_url}~1publishers/get/responses/${status}/content/application~1json/schema`
  const validate = ajv.compile({ $ref: `api#${encodeURI(pointer)}` })
  expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
}
const domains = (reply: Reply) => reply.body.publishers.map((row: { publisher_domain: string }) => row.publisher_domain)

describe('envelope and rows', () => {
  it('answers every method of discovery, ordered by domain', async () => {
    const reply = await get()
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      agent_url: AGENT,
      directory_indexed_at: '2026-03-01T01:00:00.000Z',
      next_cursor: null,
      publishers: [
        ['a.example', 'direct', null, 2, true, '2026-03-01T00:00:00.000Z'],
        ['b.example', 'authoritative_location', 'files.example', 1, false, '2026-03-01T00:00:00.000Z'],
        ['c.example', 'adagents_authoritative', 'manager.example', 1, false, '2026-03-01T01:00:00.000Z'],
        ['d.example', 'adagents_authoritative', 'manager.example', 1, false, '2026-03-01T01:00:00.000Z'],
        ['e.example', 'adagents_authoritative', 'manager.example', 1, false, '2026-03-01T01:00:00.000Z'],
        ['f.example', 'ads_txt_managerdomain', 'ads.example', 1, false, '2026-03-01T00:00:00.000Z'],
      ].map(([publisher_domain, discovery_method, manager_domain, properties_total, signing_keys_pinned, last_verified_at]) => ({
        publisher_domain,
        discovery_method,
        manager_domain,
        properties_authorized: 1,
        properties_total,
        signing_keys_pinned,
        status: 'authorized',
        last_verified_at,
      })),
    })
  })

  it('echoes the canonical key whatever form was asked for, on both paths', async () => {
    expect((await get('', { agentUrl: 'HTTPS://AGENT.example:443/mcp/' })).body.agent_url).toBe(AGENT)
    expect((await get('', { path: `/api/v1/agents/${encodeURIComponent(AGENT)}/publishers` })).body).toEqual((await get()).body)
    expect((await get('', { agentUrl: 'https://agent.example/MCP' })).status).toBe(404)
  })

  it('gives property_ids if and only if asked, the same population as the count', async () => {
    const reply = await get('?include=properties&status=authorized&status=revoked')
    for (const row of reply.body.publishers) expect(row.property_ids).toHaveLength(row.properties_authorized)
    expect(reply.body.publishers[0].property_ids).toEqual(['p-001'])
    const idless = await get('?include=properties', { agentUrl: IDLESS })
    expect(idless.body.publishers[0]).toMatchObject({
      properties_authorized: 1,
      property_ids: ['auto_website_domain_x_2eexample'],
    })
  })

  it('shows a revoked publisher once asked for, with no property authorised, and counts only what passes the filter', async () => {
    expect(domains(await get('?status=revoked&limit=1'))).toEqual(['gone.example'])
    const both = await get('?status=revoked&status=authorized&include=properties')
    expect(both.body.publishers.at(-1)).toMatchObject({
      publisher_domain: 'gone.example',
      status: 'revoked',
      properties_authorized: 0,
      properties_total: 1,
      property_ids: [],
    })
  })

  it('gives 200 empty with a null time for an agent without rows, 404 for one never referenced, whatever the filters', async () => {
    expect((await get('', { agentUrl: SIGNALS })).body).toEqual({
      agent_url: SIGNALS,
      directory_indexed_at: null,
      publishers: [],
      next_cursor: null,
    })
    for (const query of ['', '?status=revoked', '?since=2020-01-01', '?limit=5']) {
      const reply = await get(query, { agentUrl: 'https://nobody.example/' })
      expect([reply.status, reply.body.agent_url, reply.body.code]).toEqual([404, 'https://nobody.example', 'agent_not_found'])
    }
  })

  it('filters by since in the query', async () => {
    expect(domains(await get('?since=2026-03-01T01:00:00Z&limit=2'))).toEqual(['c.example', 'd.example'])
    expect(domains(await get('?since=2026-03-01T02:00:00%2B01:00'))).toHaveLength(3)
    expect((await get('?since=2027-01-01')).body.directory_indexed_at).toBeNull()
  })
})

describe('refusals', () => {
  it.each([
    ['?status=banned', 'invalid_status', /status/i],
    ['?status=authorized,revoked', 'invalid_status', /repeat the key/i],
    ['?status=', 'invalid_status', /status/i],
    ['?status[]=revoked', 'invalid_status', /repeat the key/i],
    ['?include=full_objects', 'invalid_include', /include/i],
    ['?include=properties,other', 'invalid_include', /repeat the key/i],
    ['?include=', 'invalid_include', /include/i],
    ['?since=not-a-date', 'invalid_since', /since/],
    ['?since=2026-13-01', 'invalid_since', /since/],
    ['?since=2026-02-30', 'invalid_since', /since/],
    ['?since=2026-02-29T12:00:00Z', 'invalid_since', /since/],
    ['?since=2026-04-31T23:00:00-02:00', 'invalid_since', /since/],
    ['?since=1&since=2', 'invalid_since', /once/],
    ['?limit=0', 'invalid_limit', /limit/],
    ['?limit=-1', 'invalid_limit', /limit/],
    ['?limit=abc', 'invalid_limit', /limit/],
    ['?limit=10xyz', 'invalid_limit', /limit/],
    ['?limit=1001', 'invalid_limit', /limit/],
    ['?limit=1.5', 'invalid_limit', /limit/],
    ['?limit=', 'invalid_limit', /limit/],
    ['?cursor=!!!', 'invalid_cursor', /cursor/],
    [`?cursor=${Buffer.from('foo\x01bar').toString('base64url')}`, 'invalid_cursor', /cursor/],
    ['?cursor=', 'invalid_cursor', /cursor/],
  ])('%s', async (query, code, text) => {
    const reply = await get(query)
    expect([reply.status, reply.body.code]).toEqual([400, code])
    expect(reply.body.error).toMatch(text)
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    '%E0%A4',
    'foo',
    encodeURIComponent('https://u:p@agent.example/'),
    encodeURIComponent('https://agent.example/*'),
    encodeURIComponent('https://a b/'),
    '',
  ])('agent_url %j', async (segment) => {
    const reply = await get('', { path: `/v1/agents/${segment}/publishers` })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_agent_url'])
  })

  it('a failing store is a 500 with a fixed text and nothing of the cause', async () => {
    const failing = directoryRoute({
      reader: { findAgent: () => Promise.reject(new Error('secret detail')), readRows: () => Promise.reject(new Error('x')) },
      dataVersion: () => 0,
      limit: Object.assign(() => undefined, { headers: () => [] }),
      clock: () => new Date(time),
      log: createLog('silent'),
    })
    const given = { address: '127.0.0.1', headers: [] }
    const server = createServer((request, response) => void failing.bare(request, response, [encodeURIComponent(AGENT)], given))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const body = await response.json()
    server.close()
    conforms(response.status, body)
    expect([response.status, body]).toEqual([500, { error: 'the directory failed; try again later', code: 'internal_error' }])
  })

  it('other methods are 405, unknown parameters are left alone', async () => {
    expect((await get('', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await get('?trace=1')).status).toBe(200)
    expect((await get('', { method: 'HEAD' })).status).toBe(200)
  })
})

describe('paging', () => {
  it('continues strictly after the last row and ends with null; no cursor repeats', async () => {
    const seen: string[] = []
    const cursors = new Set<string>()
    let cursor: string | null = null
    do {
      const page: Reply = await get(`?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`)
      seen.push(...domains(page))
      cursor = page.body.next_cursor
      if (cursor !== null) expect(cursors.has(cursor)).toBe(false)
      if (cursor !== null) cursors.add(cursor)
    } while (cursor !== null)
    expect(seen).toEqual(['a.example', 'b.example', 'c.example', 'd.example', 'e.example', 'f.example'])
  })

  it('ties a cursor to its query; the limit may change', async () => {
    const { next_cursor } = (await get('?limit=2&since=2020-01-01')).body
    expect(domains(await get(`?limit=3&since=2020-01-01&cursor=${next_cursor}`))).toEqual(['c.example', 'd.example', 'e.example'])
    for (const changed of ['', '&since=2021-01-01', '&since=2020-01-01&status=revoked', '&since=2020-01-01&include=properties']) {
      expect((await get(`?cursor=${next_cursor}${changed}`)).body.code).toBe('invalid_cursor')
    }
    expect((await get(`?since=2020-01-01&status=authorized&cursor=${next_cursor}`)).status).toBe(200)
    expect((await get(`?since=2020-01-01&cursor=${next_cursor}`, { agentUrl: IDLESS })).body.code).toBe('invalid_cursor')
  })

  it('takes a cursor as it was given alone, not what decodes to the same', async () => {
    const { next_cursor } = (await get('?limit=2')).body
    const [issued, fingerprint, after] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString())
    const spaced = Buffer.from(`[${issued}, "${fingerprint}","${after}"]`).toString('base64url')
    for (const changed of [`${next_cursor}a`, `${next_cursor}ab`, `${next_cursor}-`, next_cursor.slice(0, -1), spaced]) {
      expect(await get(`?cursor=${changed}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    }
    expect((await get(`?cursor=${next_cursor}`)).status).toBe(200)
  })

  it('refuses a cursor that is older than the longest refresh cycle', async () => {
    const start = time
    const { next_cursor } = (await get('?limit=1')).body
    time = start + 26.4 * 3_600_000
    expect((await get(`?cursor=${next_cursor}`)).status).toBe(200)
    time = start + 27 * 3_600_000 + 600_001
    const late = await get(`?cursor=${next_cursor}`)
    time = start
    expect([late.status, late.body.code]).toEqual([400, 'cursor_expired'])
  })
})

describe('what browsers and clients of every kind need', () => {
  const address = () => `${origin}/v1/agents/${encodeURIComponent(AGENT)}/publishers`

  it('answers a preflight and lets pages read its headers', async () => {
    const preflight = await fetch(address(), { method: 'OPTIONS', headers: { origin: 'https://page.example' } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match')
    for (const reply of [preflight, (await get('?limit=0')).headers, (await get()).headers]) {
      const headers = 'headers' in reply ? reply.headers : reply
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-expose-headers')).toBe('ETag, Retry-After, RateLimit, RateLimit-Policy')
    }
  })

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['identity', null],
  ])('sends a page in the coding that %j prefers: %s', async (accepted, coding) => {
    const plain = await get('?limit=6')
    for (let time = 0; time < 3; time += 1) {
      const reply = await fetch(`${address()}?limit=6`, { headers: { 'accept-encoding': accepted } })
      expect(reply.headers.get('content-encoding')).toBe(coding)
      expect(reply.headers.get('vary')).toBe('Accept-Encoding')
      expect(await reply.json()).toEqual(plain.body)
      const etag = reply.headers.get('etag') ?? ''
      expect(etag === plain.headers.get('etag')).toBe(coding === null)
      const again = await fetch(`${address()}?limit=6`, { headers: { 'accept-encoding': accepted, 'if-none-match': etag } })
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
    }
  })

  it('says how the caller stands, lookups and continued pages apart', async () => {
    const first = await get('?limit=1', { headers: AWAY })
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"lookups";q=\d+;w=60$/)
    expect(first.headers.get('ratelimit')).toMatch(/^"lookups";r=\d+;t=\d+$/)
    const next = await get(`?limit=1&cursor=${first.body.next_cursor}`, { headers: AWAY })
    expect(next.headers.get('ratelimit-policy')).toMatch(/^"pages-of-address";q=10000;w=60$/)
  })

  it('tells who puts the URL of the agent into the path as it is how to write it', async () => {
    const reply = await fetch(`${origin}/v1/agents/${AGENT}/publishers?limit=1`)
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({
      error: `the agent's URL has to be percent-encoded as one segment: /v1/agents/${encodeURIComponent(AGENT)}/publishers`,
      code: 'agent_url_not_encoded',
    })
  })

  it.each([
    ['https://ads.example/mcp/publishers', 'https://ads.example/mcp'],
    ['https%3A%2F%2Fads.example/mcp/publishers', 'https://ads.example/mcp'],
    ['https:/ads.example/mcp/publishers', 'https://ads.example/mcp'],
    ['https%3A%2Fads.example/mcp/publishers?limit=1', 'https://ads.example/mcp'],
    ['https://ads.example/mcp?x=1/publishers', 'https://ads.example/mcp?x=1'],
    ['https://ads.example/mcp?x=1', 'https://ads.example/mcp?x=1'],
    ['https://ads.example/a%20b/publishers/', 'https://ads.example/a%20b'],
  ])('gives a path for /v1/agents/%s that is not refused as malformed', async (written, meant) => {
    // Not by fetch, which would write the path in another way.
    const { hostname, port } = new URL(origin)
    const status = (path: string) =>
      new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
        const asking = request({ hostname, port, path }, (answer) => {
          let text = ''
          answer.on('data', (chunk) => {
            text += chunk
          })
          answer.on('end', () => resolve({ status: answer.statusCode, text }))
        })
        asking.on('error', reject).end()
      })
    const refused = await status(`/v1/agents/${written}`)
    expect(refused.status).toBe(400)
    const hint = String(JSON.parse(refused.text).error).split(': ').at(-1) ?? ''
    expect(hint).toBe(`/v1/agents/${encodeURIComponent(meant)}/publishers`)
    const followed = await status(hint)
    expect([followed.status, JSON.parse(followed.text).code]).toEqual([404, 'agent_not_found'])
  })

  it.each(['nobody/x/publishers', '%zz/x/publishers', `https://a.example/${'x'.repeat(600)}/publishers`])(
    'says in general how %s has to be written, where it holds no address',
    async (written) => {
      const reply = await fetch(`${origin}/v1/agents/${written}`)
      const { error } = JSON.parse(await reply.text())
      expect([reply.status, error]).toEqual([400, expect.stringContaining('/v1/agents/{agent_url}/publishers, with https://')])
    },
  )

  it('lets a client read more pages than it may ask new questions', async () => {
    const few = await startAgent({ flags: { directory: { requests: 2, requestsPerAddress: 2 }, ...PROXIED } })
    try {
      await few.server.store.transaction((tx) => registerAgents(tx, [AGENT], new Date()))
      const lookup = (query: string) =>
        fetch(`${few.url.replace('/mcp', '')}/v1/agents/${encodeURIComponent(AGENT)}/publishers${query}`, { headers: AWAY })
      const query = parseLookup({ agentUrl: AGENT }, new Date())
      const cursor = nextCursor(query, 'a.example', new Date())
      const statuses: number[] = []
      for (let page = 0; page < 10; page += 1) statuses.push((await lookup(`?cursor=${cursor}`)).status)
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect([(await lookup('')).status, (await lookup('')).status, (await lookup('')).status]).toEqual([200, 200, 429])
    } finally {
      await few.stop()
    }
  })
})

describe('conditional requests', () => {
  it('answers 304 with ETag and Cache-Control, for lists, weak tags and *', async () => {
    const first = await get()
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(first.headers.get('cache-control')).toBe('public, max-age=60')
    for (const header of [etag, `"other", ${etag}`, `W/${etag}`, `"a",W/${etag} , "b"`, '*']) {
      const reply = await get('', { headers: { 'if-none-match': header } })
      expect([reply.status, reply.headers.get('etag'), reply.headers.get('cache-control')]).toEqual([
        304,
        etag,
        'public, max-age=60',
      ])
    }
    expect((await get('', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('has another tag for another query and after a change of the rows', async () => {
    const tags = await Promise.all(
      ['', '?include=properties', '?limit=5', '?status=revoked', '?since=2020-01-01'].map(async (query) =>
        (await get(query)).headers.get('etag'),
      ),
    )
    expect(new Set(tags).size).toBe(5)
    await agent.server.store.transaction(async (tx) => {
      const { bumpAgents, directoryId } = await import('../../../src/store/directory/directory-agents.ts')
      await bumpAgents(tx, [directoryId(AGENT)], new Date(time))
    })
    expect((await get('', { headers: { 'if-none-match': tags[0] ?? '' } })).status).toBe(200)
  })

  it('confirms an answer from memory no longer than it stands, whoever changed it', async () => {
    const { etag } = Object.fromEntries((await get('?trace=kept')).headers)
    const again = () => get('?trace=kept', { headers: { 'if-none-match': etag ?? '' } })
    expect([(await again()).status, (await again()).status]).toEqual([304, 304])
    const other = sqliteDriver().open(join(agent.server.config.data, 'sales-agent.sqlite'))
    other.prepare('UPDATE directory_agents SET version = version + 1 WHERE agent_url = ?').run([AGENT])
    other.close()
    const changed = await again()
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false])
  })

  it('sends the headers of every reply with each status, also when it is asked the same again', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    const asked = [get(), get(), get('', { headers: { 'if-none-match': etag } }), get('?limit=0'), get('', { agentUrl: 'x' })]
    const replies = await Promise.all(asked)
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 304, 400, 400])
    for (const { headers } of replies) {
      const { 'x-content-type-options': sniff, 'content-security-policy': policy } = Object.fromEntries(headers)
      expect([sniff, policy]).toEqual(['nosniff', "default-src 'none'; frame-ancestors 'none'"])
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('does not confirm a page for longer than its cursor is fresh', async () => {
    const etag = (await get('?limit=1')).headers.get('etag') ?? ''
    expect((await get('?limit=1', { headers: { 'if-none-match': etag } })).status).toBe(304)
    time += 3_600_000
    expect((await get('?limit=1', { headers: { 'if-none-match': etag } })).status).toBe(200)
    time -= 3_600_000
  })

  it('counts nothing for callers on this machine while developing', async () => {
    const few = await startAgent({ flags: { directory: { requests: 1, requestsPerAddress: 1 } } })
    try {
      await few.server.store.transaction((tx) => registerAgents(tx, [AGENT], new Date()))
      const url = `${few.url.replace('/mcp', '')}/v1/agents/${encodeURIComponent(AGENT)}/publishers`
      const answers = [await fetch(url), await fetch(url), await fetch(url)]
      expect(answers.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual(Array(3).fill([200, null]))
    } finally {
      await few.stop()
    }
  })

  it('counts every lookup, also one that memory answers', async () => {
    const few = await startAgent({ flags: { directory: { requests: 3 }, ...PROXIED } })
    try {
      await few.server.store.transaction((tx) => registerAgents(tx, [AGENT], new Date()))
      const url = `${few.url.replace('/mcp', '')}/v1/agents/${encodeURIComponent(AGENT)}/publishers`
      const statuses: number[] = []
      for (let n = 0; n < 5; n += 1) statuses.push((await fetch(url, { headers: { ...AWAY, 'if-none-match': '*' } })).status)
      expect(statuses).toEqual([304, 304, 304, 429, 429])
    } finally {
      await few.stop()
    }
  })

  it('reads no row for a 304', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    await agent.server.store.transaction(async (tx) => {
      await tx.updateTable('directory_claims').set({ shown: '' }).where('publisher_domain', '=', 'a.example').execute()
    })
    expect((await get('', { headers: { 'if-none-match': etag } })).status).toBe(304)
    await agent.server.store.transaction(async (tx) => {
      await tx.updateTable('directory_claims').set({ shown: 'authorized' }).where('publisher_domain', '=', 'a.example').execute()
    })
  })
})

describe('the tool', () => {
  const anyone = () => agent.client()

  it('gives the same envelope as the route', async () => {
    const reply = await anyone().call('list_agent_publishers', {
      agent_url: AGENT,
      status: ['authorized', 'revoked'],
      include: ['properties'],
      limit: 3,
    })
    const { body } = await get('?status=authorized&status=revoked&include=properties&limit=3')
    expect(reply.data).toMatchObject(body)
    const next = await anyone().call('list_agent_publishers', {
      agent_url: AGENT,
      status: ['revoked', 'authorized'],
      include: ['properties'],
      cursor: reply.data.next_cursor,
    })
    expect(next.data.publishers).toHaveLength(4)
  })
})
