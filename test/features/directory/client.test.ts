import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchAgentAuthorizations, verifyAgentAuthorization } from '../../../src/features/directory/client.ts'
import { compareWithSources, detectDivergence } from '../../../src/features/directory/divergence.ts'
import { indexedRows } from '../../../src/features/directory/indexed-rows.ts'
import { type ListOptions, listAgentPublishers, type StoredPage } from '../../../src/features/directory/list-client.ts'
import { DirectoryError, type DirectoryPage } from '../../../src/features/directory/list-page.ts'
import { explain } from '../../../src/features/directory/why.ts'
import { AGENT, grant, property } from '../../support/adagents-files.ts'
import { DAY, openDirectory } from '../../support/directory.ts'
import { adsTxt, type FakeWeb, json, startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'

const row = (publisher_domain: string, fields: object = {}) => ({
  publisher_domain,
  discovery_method: 'direct',
  manager_domain: null,
  properties_authorized: 1,
  properties_total: 1,
  property_ids: ['home'],
  signing_keys_pinned: false,
  status: 'authorized',
  last_verified_at: '2026-03-01T00:00:00.000Z',
  ...fields,
})

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
  web.put(wellKnown('direct.example'), {
    properties: [property()],
    authorized_agents: [grant({ signing_keys: [{ kid: 'k', kty: 'OKP' }] })],
  })
  web.put(wellKnown('pointer.example'), { authoritative_location: 'https://files.example/a.json' })
  web.put('https://files.example/a.json', { properties: [property()], authorized_agents: [grant()] })
  web.put(adsTxt('ads.example'), 'MANAGERDOMAIN=manager.example')
  web.put(wellKnown('manager.example'), {
    properties: ['ads.example', 'managed.example'].map((publisher_domain) => property({ publisher_domain })),
    authorized_agents: [grant()],
  })
  web.put(wellKnown('denies.example'), { authorized_agents: [] })
  web.put(wellKnown('revoked.example'), { authoritative_location: 'https://files.example/revoked.json' })
  web.put('https://files.example/revoked.json', {
    properties: [property()],
    authorized_agents: [grant()],
    revoked_publisher_domains: [{ publisher_domain: 'revoked.example', revoked_at: '2026-01-01T00:00:00Z' }],
  })
  web.put(wellKnown('down.example'), status(500))
})
afterAll(() => web.close())

describe('fetchAgentAuthorizations', () => {
  it('asks the publishers themselves, each on its own, and tells no from no answer', async () => {
    web.put(wellKnown('half.example'), json('{"authorized_agents": ['))
    web.put(wellKnown('large.example'), json({ name: 'x'.repeat(5_300_000) }))
    web.put(wellKnown('points-down.example'), { authoritative_location: 'https://files.example/down.json' })
    web.put('https://files.example/down.json', status(503))
    web.put(adsTxt('ads-down.example'), status(503))
    web.put(adsTxt('manager-down.example'), 'MANAGERDOMAIN=down.example')
    web.put(adsTxt('manager-none.example'), 'MANAGERDOMAIN=nothing.example')
    web.put(wellKnown('invalid.example'), {})
    web.put(wellKnown('gone.example'), status(410))
    const domains = [
      'direct.example',
      'Pointer.example.',
      'ads.example',
      'denies.example',
      'revoked.example',
      'down.example',
      'half.example',
      'large.example',
      'points-down.example',
      'ads-down.example',
      'manager-down.example',
      'manager-none.example',
      'invalid.example',
      'gone.example',
      'nothing.example',
    ]
    const answers = await fetchAgentAuthorizations('HTTPS://agent.example:443/mcp/', domains, { fetch: web.fetch() })
    expect(
      Object.fromEntries(
        [...answers].map(([domain, answer]) => [
          domain,
          answer.authorized
            ? `${answer.discoveryMethod} ${answer.managerDomain} ${answer.propertyIds} ${answer.signingKeysPinned}`
            : `${answer.answered ? '' : 'unknown: '}${answer.reason}`,
        ]),
      ),
    ).toEqual({
      'direct.example': 'direct null home true',
      'pointer.example': 'authoritative_location files.example home false',
      'ads.example': 'ads_txt_managerdomain manager.example home false',
      'denies.example': 'https://denies.example/.well-known/adagents.json: authorized_agents does not list the agent',
      'revoked.example': 'https://files.example/revoked.json: the file lists revoked.example in revoked_publisher_domains',
      'down.example': 'unknown: the server answered 500',
      'half.example': 'unknown: https://half.example/.well-known/adagents.json is not JSON',
      'large.example': expect.stringMatching(/^unknown: the file is larger/),
      'points-down.example': 'unknown: authoritative_location: the server answered 503',
      'ads-down.example': 'unknown: there is no file (404); ads.txt: the server answered 503',
      'manager-down.example': 'unknown: there is no file (404); its manager down.example: the server answered 500',
      'manager-none.example': 'there is no file (404); its manager nothing.example: there is no file (404)',
      'invalid.example': expect.stringMatching(/^the file/),
      'gone.example': 'the file is gone (410)',
      'nothing.example': 'there is no file (404); ads.txt: there is no file (404)',
    })
  })

  it('refuses what is no agent or no domain', async () => {
    await expect(fetchAgentAuthorizations('foo', [], { fetch: web.fetch() })).rejects.toMatchObject({ field: 'agent_url' })
    await expect(fetchAgentAuthorizations(AGENT, ['no domain'], { fetch: web.fetch() })).rejects.toMatchObject({
      field: 'domains',
    })
  })

  it('verifyAgentAuthorization defaults to now', () => {
    const file = { properties: [property()], authorized_agents: [grant({ effective_until: '2020-01-01T00:00:00Z' })] }
    expect(verifyAgentAuthorization(file, AGENT)).toMatchObject({ authorized: false, reason: 'not_in_effect' })
    expect(verifyAgentAuthorization(file, AGENT, { now: new Date('2019-01-01') })).toMatchObject({ authorized: true })
  })
})

type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

describe('listAgentPublishers', () => {
  let server: Server
  let directory: string
  let requests: { url: string; etag: string | undefined }[] = []
  let respond: (url: URL, count: number) => Answer
  const envelope = (publishers: unknown[], next_cursor: string | null = null) => ({
    status: 200,
    body: { agent_url: AGENT, directory_indexed_at: null, publishers, next_cursor },
  })

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push({ url: request.url ?? '', etag: request.headers['if-none-match'] })
      const { status: code, body, headers } = respond(new URL(request.url ?? '', 'http://d'), requests.length)
      response
        .writeHead(code, { 'content-type': 'application/json', ...headers })
        .end(body === undefined ? '' : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    directory = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => void server.close())
  beforeEach(() => {
    requests = []
  })

  async function all(options: ListOptions = {}): Promise<DirectoryPage[]> {
    const pages: DirectoryPage[] = []
    for await (const page of listAgentPublishers(directory, AGENT, { backoffMs: 1, ...options })) pages.push(page)
    return pages
  }
  const domains = (pages: DirectoryPage[]) => pages.flatMap((page) => page.publishers.map((each) => each.publisher_domain))

  it('pages with repeated keys and goes on over an empty page', async () => {
    respond = (url) => {
      const cursor = url.searchParams.get('cursor')
      return cursor === null
        ? envelope([row('a.example')], 'c1')
        : cursor === 'c1'
          ? envelope([], 'c2')
          : envelope([row('b.example')])
    }
    expect(
      domains(await all({ since: new Date(0), status: ['authorized', 'revoked'], include: ['properties'], limit: 7 })),
    ).toEqual(['a.example', 'b.example'])
    expect(requests[1]?.url).toBe(
      `/v1/agents/${encodeURIComponent(AGENT)}/publishers?since=1970-01-01T00%3A00%3A00.000Z&status=authorized&status=revoked&include=properties&limit=7&cursor=c1`,
    )
  })

  it('leaves out a bad row and keeps the page', async () => {
    respond = () =>
      envelope([
        row('a.example'),
        row('b.example', { discovery_method: 'community_catalog' }),
        row('c.example', { discovery_method: 'authoritative_location' }),
        null,
        row('d.example'),
      ])
    const [page] = await all()
    expect([domains([page!]), page?.skipped]).toEqual([['a.example', 'd.example'], 3])
  })

  it('retries 429 and 5xx, not 400 or 404', async () => {
    respond = (_url, count) =>
      count === 1
        ? { status: 429, headers: { 'retry-after': '0' } }
        : count === 2
          ? { status: 503 }
          : envelope([row('a.example')])
    expect(domains(await all())).toEqual(['a.example'])
    respond = () => ({ status: 404, body: { error: 'never', code: 'agent_not_found' } })
    requests = []
    await expect(all()).rejects.toMatchObject({ code: 'agent_not_found', status: 404 })
    expect(requests).toHaveLength(1)
    respond = () => ({ status: 500 })
    requests = []
    await expect(all({ attempts: 3 })).rejects.toBeInstanceOf(DirectoryError)
    expect(requests).toHaveLength(3)
  })

  it('revalidates a kept page with its ETag', async () => {
    const pages = new Map<string, StoredPage>()
    respond = () => ({ ...envelope([row('a.example')]), headers: { etag: '"v1"' } })
    await all({ pages })
    respond = () => ({ status: 304 })
    const [page] = await all({ pages })
    expect([page?.notModified, domains([page!]), requests[1]?.etag]).toEqual([true, ['a.example'], '"v1"'])
  })

  it('refuses a cursor older than 24 hours and one that repeats', async () => {
    respond = () => envelope([row('a.example')], 'again')
    await expect(all()).rejects.toMatchObject({ code: 'bad_answer' })
    const receivedAt = new Date(Date.now() - 24 * 3_600_000 - 1)
    await expect(all({ cursor: { value: 'c', receivedAt } })).rejects.toMatchObject({ code: 'stale_cursor' })
  })

  it('detectDivergence compares sets of ids with the sources', async () => {
    respond = () =>
      envelope([
        row('ads.example', { discovery_method: 'ads_txt_managerdomain', manager_domain: 'manager.example' }),
        row('denies.example'),
        row('direct.example', { property_ids: ['other'] }),
        row('down.example'),
        row('managed.example', { discovery_method: 'adagents_authoritative', manager_domain: 'manager.example' }),
        row('pointer.example', { discovery_method: 'authoritative_location', manager_domain: 'files.example' }),
        row('points-down.example', { discovery_method: 'authoritative_location', manager_domain: 'files.example' }),
      ])
    const report = await detectDivergence(AGENT, directory, { fetch: web.fetch() })
    expect(requests[0]?.url).toContain('include=properties')
    expect(report.checked).toBe(7)
    expect(
      report.divergences.map((each) => [each.publisherDomain, each.askedOf, each.missingInFederated, each.missingInDirectory]),
    ).toEqual([
      ['denies.example', 'publisher', ['home'], []],
      ['direct.example', 'publisher', ['other'], ['home']],
      ['down.example', 'nobody', ['home'], []],
      ['points-down.example', 'nobody', ['home'], []],
    ])
    expect([report.listedByManagerAlone, report.confirmedByManagerAlone]).toEqual([1, 1])
  })

  it('counts publishers that a manager alone lists, whether its file says the same, less, or does not answer', async () => {
    web.put(wellKnown('manager2.example'), {
      properties: ['same.example', 'less.example'].map((publisher_domain) => property({ publisher_domain })),
      authorized_agents: [grant()],
    })
    web.put(wellKnown('gone-manager.example'), status(503))
    const byManager = (manager_domain: string) => ({ discovery_method: 'adagents_authoritative', manager_domain })
    respond = () =>
      envelope([
        row('direct.example'),
        row('less.example', { ...byManager('manager2.example'), property_ids: ['home', 'gone'] }),
        row('same.example', byManager('manager2.example')),
        row('unknown.example', byManager('gone-manager.example')),
        // Its own ads.txt names the manager: it is listed by its own word.
        row('ads.example', byManager('manager.example')),
        row('withdrawn.example', byManager('manager2.example')),
      ])
    const report = await detectDivergence(AGENT, directory, { fetch: web.fetch() })
    expect(report.divergences.map(({ publisherDomain, askedOf }) => [publisherDomain, askedOf])).toEqual([
      ['less.example', 'manager'],
      ['unknown.example', 'nobody'],
      ['withdrawn.example', 'manager'],
    ])
    expect([report.checked, report.listedByManagerAlone, report.confirmedByManagerAlone]).toEqual([6, 4, 1])
  })

  it('compares a network with the file that its publishers point at, wherever that is', async () => {
    web.put(wellKnown('points.example'), { authoritative_location: 'https://cdn.example/networks/m.json' })
    web.put('https://cdn.example/networks/m.json', {
      properties: ['points.example', 'sibling.example'].map((publisher_domain) => property({ publisher_domain })),
      authorized_agents: [grant()],
    })
    const manager_domain = 'cdn.example'
    respond = () =>
      envelope([
        row('points.example', { discovery_method: 'authoritative_location', manager_domain }),
        row('sibling.example', { discovery_method: 'adagents_authoritative', manager_domain }),
      ])
    expect((await detectDivergence(AGENT, directory, { fetch: web.fetch() })).divergences).toEqual([])
  })

  it('compares a publisher that the directory shows as revoked', async () => {
    respond = () => envelope([row('direct.example', { status: 'revoked', property_ids: [], properties_authorized: 0 })])
    const report = await detectDivergence(AGENT, directory, { fetch: web.fetch() })
    expect(requests[0]?.url).toContain('status=authorized&status=revoked')
    expect(report.divergences).toMatchObject([
      { publisherDomain: 'direct.example', missingInDirectory: ['home'], reason: 'the directory shows the publisher as revoked' },
    ])
  })

  it('compares this store with its sources, the rows that it holds back included', async () => {
    const target = 'https://cdn2.example/m.json'
    const network = (fields: object = {}) => ({
      properties: ['points2.example', 'back.example'].map((publisher_domain) => property({ publisher_domain })),
      authorized_agents: [grant()],
      ...fields,
    })
    const revoked_publisher_domains = [{ publisher_domain: 'back.example', revoked_at: '2026-01-01T00:00:00Z' }]
    web.put(wellKnown('points2.example'), { authoritative_location: target })
    web.put(target, network({ revoked_publisher_domains }))
    const index = await openDirectory(web.fetch())
    await index.add('points2.example')
    await index.refresh(['points2.example'])
    web.put(target, network())
    await index.pass(2 * DAY)
    await index.refresh(['points2.example'])
    const now = index.now()
    const report = await compareWithSources(AGENT, indexedRows(index.store.read, AGENT, now), { fetch: web.fetch(), now })
    const { not_listed_because } = await explain(index.store.read, 'back.example', now)
    await index.close()
    expect(report.checked).toBe(2)
    expect(report.divergences).toMatchObject([
      {
        publisherDomain: 'back.example',
        askedOf: 'manager',
        missingInDirectory: ['home'],
        reason: `held back for seven days after ${target} revoked it`,
      },
    ])
    expect(not_listed_because[0]).toBe(
      `${target} listed it in revoked_publisher_domains; it is held back until 2026-03-08T00:00:00.000Z`,
    )
  })
})
