import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../../src/features/directory/shared-documents.ts'
import { registryUpkeep } from '../../../src/features/registry/upkeep.ts'
import { type FakeWeb, json, status, wellKnown } from '../../support/fake-web/fake-web.ts'
import { AGENT, BRAND, grant, mcpPage, PUBLISHER, property, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let web: FakeWeb
let agent: TestAgent
let origin: string
let member: string
let shared: RefreshDeps & { isTask(tool: string): boolean }
let time = Date.parse('2026-03-01T00:00:00Z')

beforeAll(async () => {
  web = await startRegistryWorld()
  agent = await startAgent({
    demo: true,
    clock: () => new Date(time),
    safeFetch: web.fetch(),
    flags: { directory: { requestsPerAddress: 100_000, windowSeconds: 1 } },
  })
  origin = agent.url.replace('/mcp', '')
  agent.server.registry.upkeep.wake()
  await agent.server.registry.upkeep.idle()
  member = await agent.addBuyer({ principal: 'org', tenant: 'acme', scopes: ['registry'] })
  shared = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock: () => new Date(time),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    isTask: () => true,
    warn: () => undefined,
  }
  await addDomains(shared, [PUBLISHER])
  await crawl(shared, { concurrency: 1 })
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

// biome-ignore lint/suspicious/noExplicitAny: bodies are judged by assertions
type Reply = { status: number; headers: Headers; body: any }

async function call(
  path: string,
  options: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(origin + path, {
    method: options.body === undefined ? 'GET' : 'POST',
    headers: {
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const register = (url: string, key = member) => call('/api/registry/agents', { body: { agent_url: url }, key })
const urls = (reply: Reply) => reply.body.agents.map((each: { agent_url: string }) => each.agent_url)

describe('agents', () => {
  it('shows the own tenants with nothing but the four fields, and what is registered', async () => {
    const first = await register(AGENT)
    expect(first.status, JSON.stringify(first.body)).toBe(201)
    expect((await register(AGENT)).status).toBe(200)
    const { body } = await call('/api/registry/agents?capability=get_products&channel=ctv')
    const entry = body.agents.find((each: { agent_url: string }) => each.agent_url === AGENT)
    expect(entry).toEqual({
      domain: 'agent.example',
      agent_url: AGENT,
      capabilities: ['create_media_buy', 'get_products'],
      channels: ['ctv', 'display'],
    })
    const own = (await call('/api/registry/agents?capability=create_media_buy')).body.agents.find(
      (each: { agent_url: string }) => each.agent_url === agent.url,
    )
    expect(own.capabilities).toContain('create_media_buy')
    expect(own.channels.length).toBeGreaterThan(0)
    expect(own.capabilities).not.toContain('comply_test_controller')
  })

  it('lists agents as the public registry does where nobody searches by task or channel, and refuses its filters', async () => {
    await register(AGENT)
    const listed = async (query = '') => {
      const { body } = await call(`/api/registry/agents${query}`)
      expect(body.count).toBe(body.agents.length)
      return body.agents.find((each: { url: string }) => each.url === AGENT)
    }
    const entry = {
      url: AGENT,
      name: 'Daily Sales',
      type: 'sales',
      protocol: 'mcp',
      mcp_endpoint: AGENT,
      domain: 'agent.example',
      agent_url: AGENT,
      channels: ['ctv', 'display'],
    }
    expect(await listed()).toEqual(entry)
    expect(await listed('?type=sales&capabilities=true&health=true&details=true')).toMatchObject({
      ...entry,
      types: ['sales'],
      capabilities: { tools_count: 2, tools: [{ name: 'create_media_buy', description: '' }, { name: 'get_products' }] },
      health: { online: true, status: 'online', tools_count: 2 },
    })
    expect(await call('/api/registry/agents?type=sales&verified=true')).toMatchObject({
      status: 400,
      body: {
        code: 'filter_not_served',
        error: expect.stringMatching(/^verified is not served here: leave it out; parameters are capability, /),
      },
    })
  })

  it('filters by every word, alone and together', async () => {
    await register(AGENT)
    expect(urls(await call('/api/registry/agents?channel=ctv&capability=create_media_buy'))).toContain(AGENT)
    expect(urls(await call('/api/registry/agents?channel=ctv&capability=activate_signal&type=signals'))).not.toContain(AGENT)
    expect(urls(await call('/api/registry/agents?channel=print'))).not.toContain(AGENT)
    expect(urls(await call('/api/registry/agents?capability=echo'))).toEqual([])
    const { body } = await call('/api/registry/agents?health=true&details=true&capability=get_products')
    expect(body.agents.find((each: { agent_url: string }) => each.agent_url === AGENT)).toMatchObject({
      name: 'Daily Sales',
      types: ['sales'],
      source: 'registered',
      health: { status: 'online', last_seen_at: new Date(time).toISOString() },
    })
  })

  it('pages by cursor without loss or repetition, and refuses the cursor of another question', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const url = `https://${name}.agents.example/mcp`
      web.put(url, mcpPage({ tools: ['get_signals'], capabilities: { supported_protocols: ['signals'] } }))
      expect((await register(url)).status).toBe(201)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    let pages = 0
    while (cursor !== null) {
      const next: Reply = await call(
        `/api/registry/agents?capability=get_signals&type=signals&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      expect(next.status).toBe(200)
      seen.push(...urls(next))
      cursor = next.body.next_cursor
      pages += 1
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(5)
    expect(pages).toBeGreaterThan(2)
    const { body } = await call('/api/registry/agents?limit=1')
    expect(await call(`/api/registry/agents?limit=1&channel=ctv&cursor=${body.next_cursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    })
  })

  it('refuses whoever does not answer as an AdCP agent, and takes none of its words over', async () => {
    web.put('https://plain.example/mcp', status(500, 'secret words of theirs'))
    web.put('https://other.example/mcp', mcpPage({ tools: ['echo'], capabilities: { supported_protocols: ['media_buy'] } }))
    for (const url of [
      'https://plain.example/mcp',
      'https://other.example/mcp',
      'https://nobody.example/mcp',
      'http://plain.example/mcp',
    ]) {
      const reply = await register(url)
      expect(reply, url).toMatchObject({ status: 422, body: { code: 'agent_not_verified', agent_url: url } })
      expect(JSON.stringify(reply.body)).not.toContain('secret')
    }
    expect((await register('not a url')).body.code).toBe('invalid_agent_url')
  })

  it('answers 304 to the ETag at hand', async () => {
    const reply = await call('/api/registry/publishers')
    expect(reply.headers.get('cache-control')).toBe('public, max-age=60')
    const again = await call('/api/registry/publishers', { headers: { 'if-none-match': reply.headers.get('etag') ?? '' } })
    expect(again).toMatchObject({ status: 304, body: undefined })
  })
})

describe('agents of the directory', () => {
  it('enter by themselves once a publisher names them and they answer, and are called again when it is time', async () => {
    const url = 'https://found.agents.example/mcp'
    const calls = () => web.requests.filter((each) => each === url).length
    web.put(url, mcpPage({ tools: ['get_products'], capabilities: { supported_protocols: ['media_buy'] } }))
    web.put(wellKnown('naming.example'), json({ properties: [property()], authorized_agents: [grant({ url })] }))
    const clock = () => new Date(time)
    const shared = { store: agent.server.store, fetch: web.fetch(), clock, random: () => 0, worker: 'upkeep', isTask: () => true }
    await addDomains(shared, ['naming.example'])
    await crawl({ ...shared, limits: FRESHNESS, warn: () => undefined }, { concurrency: 1 })
    const brands = agent.server.services.brandFiles
    const deps = { ...shared, brands, counters: undefined, checkAdagents: () => [] }
    const silent = registryUpkeep(deps, { own: undefined, callsOthers: false })
    expect(await silent()).toBe(false)
    expect(urls(await call('/api/registry/agents?capability=get_products'))).not.toContain(url)
    const look = registryUpkeep(deps, { own: undefined, callsOthers: true })
    while (await look());
    const { body } = await call('/api/registry/agents?capability=get_products&details=true&health=true')
    expect(body.agents.find((each: { agent_url: string }) => each.agent_url === url)).toMatchObject({
      source: 'discovered',
      health: { status: 'online', last_seen_at: new Date(time).toISOString() },
    })
    const before = calls()
    while (await look());
    expect(calls()).toBe(before)
    time += 6 * 3_600_000
    while (await look());
    expect(calls()).toBeGreaterThan(before)
  })
})

describe('look-ups in the index', () => {
  it('answers both ways', async () => {
    await register(AGENT)
    expect((await call(`/api/registry/lookup/domain/${PUBLISHER}`)).body).toEqual({
      domain: PUBLISHER,
      authorized_agents: [{ url: AGENT, source: 'registered', discovery_method: 'direct' }],
      sales_agents_claiming: [],
      next_cursor: null,
    })
    expect(
      (await call(`/api/registry/lookup/agent/${encodeURIComponent('HTTPS://Sales.Agent.example:443/mcp/')}/domains`)).body,
    ).toEqual({
      agent_url: AGENT,
      domains: [PUBLISHER],
      count: 1,
      next_cursor: null,
    })
    expect((await call('/api/registry/publishers')).body.publishers).toContainEqual({
      domain: PUBLISHER,
      agent_count: 1,
      last_validated: new Date(Date.parse('2026-03-01T00:00:00Z')).toISOString(),
      has_valid_adagents: true,
    })
    const asked = (value: string) =>
      call(
        `/api/registry/validate/property-authorization?agent_url=${encodeURIComponent(AGENT)}&identifier_type=domain&identifier_value=${value}`,
      )
    expect((await asked(PUBLISHER)).body.authorized).toBe(true)
    expect((await asked('other.example')).body.authorized).toBe(false)
    const stats = (await call('/api/registry/stats')).body
    expect(stats.publishers_with_adagents).toBeGreaterThanOrEqual(1)
    expect(stats.agents).toBeGreaterThanOrEqual(stats.agents_online)
  })

  it('finds agents by inventory profile, and names no taxonomy for categories that nobody declares', async () => {
    await register(AGENT)
    const { body } = await call('/api/registry/agents/search?channels=ctv,display')
    const found = body.results.find(({ agent_url }: { agent_url: string }) => agent_url === AGENT)
    expect(found).toMatchObject({ type: 'sales', channels: ['ctv', 'display'], match: { matched_filters: ['channels'] } })
    expect(found.inventory_profile).toMatchObject({
      publisher_count: 1,
      property_count: 1,
      categories: [],
      category_taxonomy: null,
    })
  })

  it('finds the agents that may sell a property by its identifiers', async () => {
    const app = property({
      property_id: 'app',
      property_type: 'mobile_app',
      identifiers: [
        { type: 'ios_bundle', value: 'com.Apps.Daily' },
        { type: 'domain', value: 'WWW.Apps.example' },
      ],
    })
    web.put(
      wellKnown('apps.example'),
      json({ properties: [app, property()], authorized_agents: [grant({ property_ids: ['app'] })] }),
    )
    await addDomains(shared, ['apps.example'])
    await crawl(shared, { concurrency: 1 })
    const find = async (type: string, value: string) =>
      (await call(`/api/registry/lookup/property?type=${type}&value=${encodeURIComponent(value)}`)).body.agents
    const entry = { agent_url: AGENT, publisher_domain: 'apps.example', property_id: 'app', discovery_method: 'direct' }
    expect(await find('ios_bundle', 'com.Apps.Daily')).toEqual([entry])
    expect(await find('domain', 'www.apps.EXAMPLE')).toEqual([entry])
    expect(await find('ios_bundle', 'com.apps.daily')).toEqual([])
    const publishers = (await find('domain', PUBLISHER)).map((each: { publisher_domain: string }) => each.publisher_domain)
    expect(publishers).toContain(PUBLISHER)
    // Its file grants only the app.
    expect(publishers).not.toContain('apps.example')
    web.put(wellKnown('apps.example'), json({ properties: [property()], authorized_agents: [grant()] }))
    await requestRefresh(shared, ['apps.example'])
    await crawl(shared, { concurrency: 1 })
    expect(await find('ios_bundle', 'com.Apps.Daily')).toEqual([])
  })

  it('says since when a publisher authorises an agent, and keeps that when another file takes over', async () => {
    const since = async () => (await call(`/api/registry/publisher?domain=moving.example`)).body.authorized_agents
    web.put(wellKnown('moving.example'), json({ properties: [property()], authorized_agents: [grant()] }))
    await addDomains(shared, ['moving.example'])
    await crawl(shared, { concurrency: 1 })
    const begun = new Date(time).toISOString()
    expect(await since()).toMatchObject([{ url: AGENT, since: begun, discovery_method: 'direct' }])
    time += 60_000
    const two = [property(), property({ property_id: 'second' })]
    web.put(
      wellKnown('moving.example'),
      json({ properties: two, authorized_agents: [grant({ property_ids: ['daily_site', 'second'] })] }),
    )
    await requestRefresh(shared, ['moving.example'])
    await crawl(shared, { concurrency: 1 })
    expect(await since()).toMatchObject([
      { since: begun, properties_authorized: 2, last_verified_at: new Date(time).toISOString() },
    ])
  })

  it('names agents that claim a domain whose file does not know them', async () => {
    const { body } = await call('/api/registry/agents?details=true&capability=create_media_buy')
    const own = body.agents.find((each: { agent_url: string }) => each.agent_url === agent.url)
    const lookup = await call(`/api/registry/lookup/domain/${own.domain}`)
    expect(lookup.body.sales_agents_claiming).toContainEqual({ url: agent.url, source: 'registered' })
  })
})

describe('resolution', () => {
  it('resolves a brand from its brand.json, and a saved one for want of it', async () => {
    expect((await call(`/api/brands/resolve?domain=${BRAND}`)).body).toMatchObject({
      canonical_id: `${BRAND}#nova`,
      canonical_domain: BRAND,
      brand_name: 'Nova',
      house_domain: BRAND,
      relationship_trust: 'inline',
      brand_agent_url: 'https://brand.nova.example/mcp',
      authorized_operators: [{ domain: 'agency.example', brands: ['*'] }],
      source: 'brand_json',
      live_brand_json: true,
    })
    expect(await call('/api/brands/resolve?domain=nobrand.example')).toMatchObject({
      status: 404,
      body: { code: 'not_found', domain: 'nobrand.example', file_status: 'not_found' },
    })
    const saved = await call('/api/brands/save', { body: { domain: 'nobrand.example', brand_name: 'No Brand' }, key: member })
    expect(saved.body).toMatchObject({ success: true, revision_number: 1 })
    expect((await call('/api/brands/resolve?domain=nobrand.example')).body).toMatchObject({
      brand_name: 'No Brand',
      source: 'community',
      live_brand_json: false,
    })
    const { body } = await call('/api/brands/resolve/bulk', {
      body: { domains: [BRAND, 'https://nobrand.example/', 'unknown.example'] },
    })
    expect(body.results[BRAND].brand_name).toBe('Nova')
    expect(body.results['https://nobrand.example/'].source).toBe('community')
    expect(body.results['unknown.example']).toBeNull()
  })

  it('resolves a publisher from its own file, a pointer and a manager, and keeps what it read', async () => {
    const direct = await call(`/api/properties/resolve?domain=${PUBLISHER}`)
    expect(direct.body).toMatchObject({
      source: 'adagents_json',
      verified: true,
      discovery_method: 'direct',
      authorized_agents: [{ url: AGENT, property_ids: ['daily_site'] }],
      properties: [{ id: 'daily_site', type: 'website', identifiers: [{ type: 'domain', value: PUBLISHER }] }],
    })
    web.forgetRequests()
    await call(`/api/properties/resolve?domain=${PUBLISHER}`)
    expect(web.requests).toEqual([])

    web.put(wellKnown('pointing.example'), json({ authoritative_location: 'https://files.example/p.json' }))
    web.put('https://files.example/p.json', json({ properties: [property()], authorized_agents: [grant()] }))
    web.put('https://managed.example/ads.txt', (_request, response) => void response.end('MANAGERDOMAIN=manager.example'))
    const managed = { properties: [property({ publisher_domain: 'managed.example' })], authorized_agents: [grant()] }
    web.put(wellKnown('manager.example'), json(managed))
    const { body } = await call('/api/properties/resolve/bulk', {
      body: { domains: ['pointing.example', 'managed.example', 'nothing.example'] },
    })
    expect(body.results['pointing.example']).toMatchObject({ verified: true, manager_domain: 'files.example' })
    expect(body.results['managed.example']).toMatchObject({
      verified: false,
      source: 'discovered',
      manager_domain: 'manager.example',
    })
    expect(body.results['nothing.example']).toBeNull()
  })

  it('answers a saved publisher as not verified, only while it has no file', async () => {
    const body = { publisher_domain: 'saved.example', authorized_agents: [{ url: AGENT }] }
    expect((await call('/api/properties/save', { body, key: member })).status).toBe(200)
    expect((await call('/api/properties/resolve?domain=saved.example')).body).toMatchObject({ source: 'hosted', verified: false })
    web.put(wellKnown('saved.example'), json({ properties: [property()], authorized_agents: [grant()] }))
    time += 2 * 60_000
    expect((await call('/api/properties/resolve?domain=saved.example')).body).toMatchObject({
      source: 'adagents_json',
      verified: true,
    })
    // A saved entry authorises nobody.
    expect((await call('/api/registry/lookup/domain/saved.example')).body.authorized_agents).toEqual([])
  })

  it('caps what may be asked at once', async () => {
    const domains = (count: number) => Array.from({ length: count }, (_, index) => `d${index}.example`)
    expect((await call('/api/brands/resolve/bulk', { body: { domains: domains(26) } })).body.code).toBe('invalid_domains')
    expect((await call('/api/properties/resolve/bulk', { body: { domains: domains(101) } })).body.code).toBe('invalid_domains')
    expect((await call('/api/brands/resolve/bulk', { body: { domains: ['no domain'] } })).body.code).toBe('invalid_domains')
    const large = { domains: ['a.example'], more: 'x'.repeat(70_000) }
    expect((await call('/api/brands/resolve/bulk', { body: large })).status).toBe(413)
  })
})

describe('validation of adagents.json', () => {
  it('judges by the official schema and by what resolves', async () => {
    const valid = await call('/api/adagents/validate', { body: { domain: PUBLISHER } })
    expect(valid.body).toMatchObject({
      found: true,
      valid: true,
      errors: [],
      discovery_method: 'direct',
      authorized_agent_count: 1,
    })
    web.put(wellKnown('wrong.example'), json({ authorized_agents: [{ url: AGENT }] }))
    const wrong = await call('/api/adagents/validate', { body: { domain: 'wrong.example' } })
    expect(wrong.body).toMatchObject({ found: true, valid: false })
    expect(wrong.body.errors.join()).toMatch(/authorized_agents\[0\]/)
    expect((await call('/api/public/validate-publisher?domain=nothing.example')).body).toMatchObject({
      found: false,
      valid: false,
    })
    const judge = (document: object, domain?: string) =>
      call('/api/adagents/validate-document', { body: { document, ...(domain && { domain }) } })
    expect((await judge({ properties: [property()], authorized_agents: [grant()] })).body).toMatchObject({
      valid: true,
      authorized_agent_count: 1,
      property_count: 1,
    })
    expect((await judge({ authorized_agents: [{ url: AGENT }] })).body.errors.join()).toMatch(/authorized_agents\[0\]/)
    const useless = { properties: [property()], authorized_agents: [grant({ property_ids: ['another'] })] }
    expect((await judge(useless, PUBLISHER)).body.warnings.join()).toContain(`${AGENT} may sell no property of ${PUBLISHER}`)
    web.put(
      wellKnown('useless.example'),
      json({ properties: [property()], authorized_agents: [grant({ property_ids: ['another'] })] }),
    )
    const served = await call('/api/public/validate-publisher?domain=useless.example')
    expect(served.body.warnings.join()).toContain(AGENT)
  })
})

describe('the feed', () => {
  it('tells what changed, in order, from a cursor on', async () => {
    await register(AGENT)
    const { body: all } = await call('/api/registry/feed?types=agent.discovered')
    expect(all.events.map((event: { entity_id: string }) => event.entity_id)).toContain(AGENT)
    expect(all.events.every((event: { actor: string }) => ['registry', 'member'].includes(event.actor))).toBe(true)
    let cursor = all.cursor
    const quiet = await call(`/api/registry/feed?cursor=${cursor}`)
    expect(quiet.body).toMatchObject({ events: [], has_more: false })
    cursor = quiet.body.cursor
    await call('/api/brands/save', { body: { domain: 'fed.example', brand_name: 'Fed' }, key: member })
    await call('/api/brands/save', { body: { domain: 'fed.example', brand_name: 'Fed again' }, key: member })
    const { body } = await call(`/api/registry/feed?cursor=${cursor}&types=brand.*&limit=1`)
    expect(body).toMatchObject({ events: [{ event_type: 'brand.created', entity_id: 'fed.example' }], has_more: true })
    const rest = await call(`/api/registry/feed?cursor=${body.cursor}`)
    // The upkeep may look at its own agents meanwhile.
    const ofBrands = rest.body.events.filter(({ entity_type }: { entity_type: string }) => entity_type === 'brand')
    expect(ofBrands).toMatchObject([{ event_type: 'brand.updated' }])
    for (const changed of ['abc', `${body.cursor}a`, `${body.cursor}AA`])
      expect((await call(`/api/registry/feed?cursor=${changed}`)).body.code).toBe('invalid_cursor')
  })
})

describe('writes', () => {
  it('need a platform identity', async () => {
    const body = { domain: 'somewhere.example' }
    const anonymous = await call('/api/registry/crawl-request', { body })
    expect(anonymous).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(anonymous.headers.get('www-authenticate')).toContain(`realm="${origin}/api"`)
    expect(await call('/api/registry/crawl-request', { body, key: agent.key })).toMatchObject({ status: 403 })
    expect(await call('/api/registry/crawl-request', { body, key: 'sk_000000000000_wrong' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    })
    // And the other way round: the key of an organisation buys nothing.
    const buying = await agent.client(member).call('list_accounts')
    expect(JSON.stringify(buying)).toContain('INSUFFICIENT_PERMISSIONS')
  })

  it('take a crawl of a domain once in five minutes', async () => {
    const ask = (domain: string) => call('/api/registry/crawl-request', { body: { domain }, key: member })
    const first = await ask('crawled.example')
    expect(first).toMatchObject({ status: 202, body: { domain: 'crawled.example' } })
    expect(first.body.crawl_request_id).toMatch(/^[0-9a-f-]{36}$/)
    const poll = () => call(`/api/registry/crawl-request/${first.body.crawl_request_id}`)
    expect((await poll()).body).toMatchObject({ domain: 'crawled.example', status: 'queued', result: null })
    await crawl(shared, { concurrency: 1 })
    expect((await poll()).body).toMatchObject({
      status: 'done',
      finished_at: new Date(time).toISOString(),
      result: 'absent',
      reason: expect.stringContaining('there is no file'),
    })
    expect(await call('/api/registry/crawl-request/none')).toMatchObject({
      status: 404,
      body: { code: 'crawl_request_not_found' },
    })
    const second = await ask('CRAWLED.example')
    expect(second).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(200)
    expect((await ask('another.example')).status).toBe(202)
    time += 5 * 60_000
    expect((await ask('crawled.example')).status).toBe(202)
    const publishers = (await call('/api/registry/publishers')).body.publishers
    expect(publishers.map((each: { domain: string }) => each.domain)).toContain('crawled.example')
  })

  it('take thirty requests for crawls an hour from one member', async () => {
    const busy = await agent.addBuyer({ principal: 'busy', tenant: 'acme', scopes: ['registry'] })
    const ask = (index: number) => call('/api/registry/crawl-request', { body: { domain: `busy-${index}.example` }, key: busy })
    const replies = await Promise.all(Array.from({ length: 31 }, (_, index) => ask(index)))
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(30)
    const refused = replies.find(({ status }) => status === 429)
    expect(refused?.body.code).toBe('rate_limited')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('of one member are not changed by another', async () => {
    const other = await agent.addBuyer({ principal: 'rival', tenant: 'acme', scopes: ['registry'] })
    const save = (key: string, brand_name: string) =>
      call('/api/brands/save', { body: { domain: 'mine.example', brand_name }, key })
    expect((await save(member, 'Mine')).status).toBe(200)
    expect(await save(other, 'Stolen')).toMatchObject({ status: 403, body: { code: 'not_yours' } })
    expect((await call('/api/brands/resolve?domain=mine.example')).body.brand_name).toBe('Mine')
  })
})

describe('limits', () => {
  it('of reads and of looks outside are counted by address, and told as the directory tells them', async () => {
    const limited = await startAgent({ safeFetch: web.fetch(), flags: { directory: { requestsPerAddress: 2 } } })
    const at = limited.url.replace('/mcp', '')
    const read = () => fetch(`${at}/api/registry/publishers`)
    expect([(await read()).status, (await read()).status]).toEqual([200, 200])
    const refused = await read()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    const validate = () => fetch(`${at}/api/public/validate-publisher?domain=${PUBLISHER}`)
    const statuses = await Promise.all(Array.from({ length: 22 }, async () => (await validate()).status))
    expect(statuses.filter((each) => each === 200)).toHaveLength(20)
    expect(statuses.filter((each) => each === 429)).toHaveLength(2)
    await limited.stop()
  })
})
