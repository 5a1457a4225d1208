import { setTimeout as sleep } from 'node:timers/promises'
import { type CursorStore, InMemoryCursorStore, RegistryClient, RegistrySync } from '@adcp/sdk'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { readMirroredClaim } from '../../../src/domain/directory/mirrored-claim.ts'
import { addDomains, requestRefresh } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../../src/features/directory/shared-documents.ts'
import { crawlPublishers } from '../../../src/operator/directory/crawl-publishers.ts'
import { isRecording, setRecording } from '../../../src/store/directory/directory-feed.ts'
import { pageAuthorizations } from '../../../src/store/directory/directory-snapshot.ts'
import { putWithoutFile } from '../../support/directory.ts'
import { type FakeWeb, startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
import { operatorBeside } from '../../support/operator.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const AGENT = 'https://agent.example/mcp'
const OTHER = 'https://other.example/mcp'
const DAY = 24 * 3_600_000
const network = (domains: readonly string[], agents: readonly string[] = [AGENT], fields: object = {}) => ({
  properties: domains.map((publisher_domain) => ({
    property_type: 'website',
    name: 'Site',
    property_id: 'home',
    identifiers: [{ type: 'domain', value: publisher_domain }],
    publisher_domain,
  })),
  authorized_agents: agents.map((url) => ({
    url,
    authorized_for: 'all',
    authorization_type: 'property_ids',
    property_ids: ['home'],
  })),
  ...fields,
})

let web: FakeWeb
let agent: TestAgent
let deps: RefreshDeps
let origin: string
let time = Date.parse('2026-03-01T00:00:00Z')
const following: RegistrySync[] = []

beforeAll(async () => {
  web = await startFakeWeb()
  const clock = () => new Date(time)
  const directory = { feed: true, export: true, requestsPerAddress: 100_000, windowSeconds: 1 }
  agent = await startAgent({ clock, safeFetch: web.fetch(), flags: { directory } })
  origin = agent.url.replace('/mcp', '')
  const { store } = agent.server
  deps = { store, fetch: web.fetch(), clock, random: () => 0.5, limits: FRESHNESS, worker: 'test', warn: () => undefined }
})
afterEach(() => {
  for (const sync of following.splice(0)) sync.stop()
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

/** Puts a manager's file online, whose publishers have none of their own, and has it visited. */
async function publish(domain: string, document: ReturnType<typeof network>): Promise<void> {
  time += 60_000
  const named = document.properties.map(({ publisher_domain }) => publisher_domain)
  await putWithoutFile(deps.store, named, new Date(time))
  web.put(wellKnown(domain), document)
  await addDomains(deps, [domain])
  await requestRefresh(deps, [domain])
  await crawl(deps, { concurrency: 2, maxAgeMs: 0, domain })
}

/** The official client, unchanged. */
function follower(cursorStore: CursorStore = new InMemoryCursorStore()): RegistrySync {
  const client = new RegistryClient({ baseUrl: origin, apiKey: 'sk_any' })
  const sync = new RegistrySync({ client, pollIntervalMs: 20, cursorStore })
  sync.on('error', () => undefined)
  following.push(sync)
  return sync
}

const domainsOf = (sync: RegistrySync, agentUrl = AGENT) =>
  sync
    .getAuthorizationsForAgent(agentUrl)
    .map(({ publisher_domain }) => publisher_domain)
    .sort()

// biome-ignore lint/suspicious/noExplicitAny: bodies are judged by assertions
const getJson = async (url: string): Promise<any> => (await fetch(url)).json()

async function until(check: () => boolean): Promise<void> {
  for (let waited = 0; !check(); waited += 1) {
    if (waited > 500) throw new Error('it did not come to this')
    await sleep(20)
  }
}

it('the official RegistrySync loads, follows, and catches up after a day away', async () => {
  await publish('m.example', network(['a.example', 'b.example', 'c.example']))
  const sync = follower()
  await sync.start()
  expect(domainsOf(sync)).toEqual(['a.example', 'b.example', 'c.example'])
  // It has every agent that publishers authorise, as one that follows from the start.
  expect(sync.getAgent(AGENT)).toMatchObject({ url: AGENT })

  const events: string[] = []
  sync.on('event', ({ event }) => void events.push(event.event_type))
  await publish('m.example', network(['a.example', 'b.example', 'd.example'], [AGENT, OTHER]))
  await until(() => domainsOf(sync, OTHER).length === 3 && domainsOf(sync).includes('d.example'))
  expect(domainsOf(sync)).toEqual(['a.example', 'b.example', 'd.example'])
  expect(sync.getAgent(OTHER)).toMatchObject({ url: OTHER })
  expect(events.sort()).toEqual([
    'agent.discovered',
    'authorization.granted',
    'authorization.granted',
    'authorization.granted',
    'authorization.granted',
    'authorization.revoked',
    'publisher.adagents_changed',
  ])
  sync.stop()

  time += DAY
  const revoked_publisher_domains = [{ publisher_domain: 'a.example', revoked_at: '2026-03-01T00:00:00Z' }]
  await publish('m.example', network(['a.example', 'b.example', 'd.example'], [AGENT], { revoked_publisher_domains }))
  await sync.start()
  expect(domainsOf(sync)).toEqual(['b.example', 'd.example'])
  expect(domainsOf(sync, OTHER)).toEqual([])
  expect(sync.getAgent(OTHER)).toBeUndefined()

  const anew = follower()
  await anew.start()
  expect(domainsOf(anew)).toEqual(['b.example', 'd.example'])
})

it('a first load of several pages misses nothing that changes while it is read', async () => {
  const domains = Array.from({ length: 2_500 }, (_, index) => `n${String(index).padStart(4, '0')}.example`)
  await publish('large.example', network(domains))
  const feed = (cursor?: string) =>
    getJson(`${origin}/api/registry/feed?limit=1000${cursor === undefined ? '' : `&cursor=${cursor}`}`)
  const first = await feed()
  expect([first.events.length, first.has_more]).toEqual([1000, true])
  await publish('large.example', network(domains.slice(1)))
  const seen = new Set<string>()
  const apply = (events: { event_type: string; entity_id: string; payload: { agent_url: string } }[]) => {
    for (const { event_type, entity_id, payload } of events) {
      if (payload.agent_url !== AGENT) continue
      if (event_type === 'authorization.granted') seen.add(entity_id)
      if (event_type === 'authorization.revoked') seen.delete(entity_id)
    }
  }
  apply(first.events)
  for (let page = first; page.has_more; ) {
    page = await feed(page.cursor)
    apply(page.events)
  }
  expect([...seen].filter((domain) => domain.startsWith('n')).sort()).toEqual(domains.slice(1))
})

it('a first load ends with its last event: no page that is announced is empty', async () => {
  const pages = [await getJson(`${origin}/api/registry/feed?limit=700`)]
  for (let page = pages[0]; page.has_more; pages.push(page))
    page = await getJson(`${origin}/api/registry/feed?limit=700&cursor=${page.cursor}`)
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.filter(({ events }) => events.length === 0)).toEqual([])
})

it('a page of exactly as many authorisations as there are announces no other', async () => {
  const db = agent.server.store.read
  const rowsOf = ({ agents }: Awaited<ReturnType<typeof pageAuthorizations>>) => agents.flatMap(({ rows }) => rows).length
  const whole = await pageAuthorizations(db, undefined, 100_000)
  const count = rowsOf(whole)
  expect([whole.next, count > 1]).toEqual([undefined, true])
  const exact = await pageAuthorizations(db, undefined, count)
  expect([exact.next, rowsOf(exact)]).toEqual([undefined, count])
  const less = await pageAuthorizations(db, undefined, count - 1)
  expect(rowsOf(less)).toBe(count - 1)
  const last = await pageAuthorizations(db, less.next, count)
  expect([last.next, rowsOf(last)]).toEqual([undefined, 1])
})

it('streams the same pages and goes on behind Last-Event-ID', async () => {
  let start = await getJson(`${origin}/api/registry/feed?limit=1000&types=publisher.*`)
  while (start.has_more) start = await getJson(`${origin}/api/registry/feed?limit=1000&cursor=${start.cursor}`)
  const read = async (headers: Record<string, string>, query: string, wanted: number) => {
    const stop = new AbortController()
    const response = await fetch(`${origin}/api/registry/feed/stream?${query}`, { headers, signal: stop.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (text.split('event: feed').length - 1 < wanted || !text.endsWith('\n\n')) text += (await reader?.read())?.value ?? ''
    stop.abort()
    return [...text.matchAll(/^id: (.*)\nevent: feed\ndata: (.*)$/gm)].map(([, id, data]) => ({
      id,
      page: JSON.parse(data ?? ''),
    }))
  }
  const streaming = read({}, `cursor=${start.cursor}`, 1)
  await sleep(100)
  await publish('streamed.example', network(['s1.example']))
  const [event] = await streaming
  expect(event?.page.events.map((each: { event_type: string }) => each.event_type)).toContain('authorization.granted')
  expect(event?.id).toBe(event?.page.cursor)
  await publish('streamed.example', network(['s2.example']))
  const [resumed] = await read({ 'last-event-id': event?.id ?? '' }, '', 1)
  expect(
    resumed?.page.events.map((each: { event_type: string; entity_id: string }) => `${each.event_type} ${each.entity_id}`),
  ).toEqual([
    'publisher.adagents_changed streamed.example',
    'authorization.revoked s1.example',
    'authorization.granted s2.example',
  ])
  const bad = await fetch(`${origin}/api/registry/feed/stream?poll_interval_seconds=1`)
  expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('invalid_poll_interval_seconds')])
})

it('tells the form of the file in the feed, for readers from the start and later ones, in the export and in a mirror of it', async () => {
  time += 60_000
  const late = follower()
  await late.start()
  const told: unknown[] = []
  late.on('event', ({ event }) => {
    if (event.event_type === 'authorization.granted') told.push([event.entity_id, event.payload.file_form])
  })
  web.put(wellKnown('short.example'), {
    publisher: { name: 'Short', domain: 'short.example' },
    agents: [{ url: AGENT, protocol: 'mcp' }],
  })
  await addDomains(deps, ['short.example'])
  await crawl(deps, { concurrency: 1, domain: 'short.example' })
  await until(() => told.length > 0)
  expect(told).toEqual([['short.example', 'short']])
  const lines = (await (await fetch(`${origin}/api/registry/authorizations/snapshot`)).text()).trimEnd().split('\n')
  const rows = lines.map((line) => JSON.parse(line))
  const formOf = (domain: string) => rows.find(({ publisher_domain }) => publisher_domain === domain)?.file_form
  expect([formOf('short.example'), formOf('b.example')]).toEqual(['short', 'official'])
  const line = lines.find((each) => each.includes('"short.example"')) ?? ''
  expect(readMirroredClaim(line)).toMatchObject({ claim: { file_form: 'short' } })
  const first: object[] = []
  for (let page = await getJson(`${origin}/api/registry/feed?limit=700`); ; ) {
    expect(page.events.length).toBeLessThanOrEqual(700)
    first.push(...page.events)
    if (!page.has_more) break
    page = await getJson(`${origin}/api/registry/feed?limit=700&cursor=${page.cursor}`)
  }
  expect(first).toContainEqual(
    expect.objectContaining({ entity_id: 'short.example', payload: expect.objectContaining({ file_form: 'short' }) }),
  )
})

it('a follower from the start and one that starts now know the same agents', async () => {
  await publish('many.example', network(['many-a.example'], [AGENT, OTHER, 'https://third.example/mcp']))
  const early = follower()
  await early.start()
  await publish('many.example', network(['many-a.example'], [AGENT, 'https://fourth.example/mcp']))
  await until(() => early.getAgent('https://fourth.example/mcp') !== undefined)
  const late = follower()
  await late.start()
  const agents = (sync: RegistrySync) =>
    [AGENT, OTHER, 'https://third.example/mcp', 'https://fourth.example/mcp'].filter((url) => sync.getAgent(url))
  expect(agents(early)).toEqual([AGENT, 'https://fourth.example/mcp'])
  expect(agents(late)).toEqual(agents(early))
  expect(late.getStats().agents).toBe(early.getStats().agents)
})

it('of 15 streams of one address that are opened at once ten begin, and an end makes room', async () => {
  const stops = Array.from({ length: 15 }, () => new AbortController())
  const open = ({ signal }: AbortController) => fetch(`${origin}/api/registry/feed/stream`, { signal })
  const answers = await Promise.all(stops.map(open))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(5).fill(429)])
  const refused = answers.find(({ status }) => status === 429)
  expect([refused?.headers.get('retry-after'), await refused?.json()]).toEqual([
    '60',
    expect.objectContaining({ code: 'rate_limited', error: expect.stringContaining('10 streams') }),
  ])
  for (const stop of stops) stop.abort()
  const again = new AbortController()
  await expect.poll(async () => (await open(again)).status).toBe(200)
  again.abort()
})

it('exports every authorisation as gzipped NDJSON, with the cursor that follows it', async () => {
  const url = `${origin}/api/registry/authorizations/snapshot`
  const response = await fetch(url)
  expect(response.headers.get('content-encoding')).toBe('gzip')
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThan(2_500)
  expect(lines.find(({ publisher_domain }) => publisher_domain === 's2.example')).toMatchObject({
    agent_url: AGENT,
    evidence: 'adagents_json',
    manager_domain: 'streamed.example',
    property_ids: ['home'],
  })
  const cursor = response.headers.get('x-sync-cursor')
  expect(await getJson(`${origin}/api/registry/feed?cursor=${cursor}`)).toMatchObject({
    events: [],
    has_more: false,
  })
  const held = { 'if-none-match': response.headers.get('etag') ?? '' }
  expect((await fetch(url, { headers: held })).status).toBe(304)
  await publish('streamed.example', network(['s3.example']))
  expect((await fetch(url, { headers: held })).status).toBe(200)
})

it('resumes a transfer that broke, byte by byte the same, and starts anew when the export is another', async () => {
  const url = `${origin}/api/registry/authorizations/snapshot`
  /** Without a client that decompresses. */
  const raw = async (headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const answer = await request(url, { method, headers })
    return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) }
  }
  const whole = await raw()
  const { etag } = whole.headers
  const size = whole.bytes.length
  expect([whole.statusCode, whole.headers['accept-ranges'], whole.headers['content-length']]).toEqual([200, 'bytes', `${size}`])
  const parts = await Promise.all([raw({ range: 'bytes=0-99' }), raw({ range: 'bytes=100-', 'if-range': String(etag) })])
  expect(parts.map(({ statusCode, headers }) => [statusCode, headers['content-range']])).toEqual([
    [206, `bytes 0-99/${size}`],
    [206, `bytes 100-${size - 1}/${size}`],
  ])
  expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(whole.bytes)).toBe(true)
  expect((await raw({ range: 'bytes=-10' })).bytes.equals(whole.bytes.subarray(-10))).toBe(true)
  expect((await raw({ range: `bytes=${size}-` })).statusCode).toBe(416)
  for (const range of ['bytes=0-9,20-29', 'lines=0-9', 'nonsense']) expect((await raw({ range })).bytes.length, range).toBe(size)
  const head = await raw({ range: 'bytes=0-99' }, 'HEAD')
  expect([head.statusCode, head.headers['content-length'], head.bytes.length]).toEqual([200, `${size}`, 0])
  await publish('streamed.example', network(['s4.example']))
  const later = await raw({ range: 'bytes=100-', 'if-range': String(etag) })
  expect([later.statusCode, later.headers.etag === etag]).toEqual([200, false])
})

it('names no place in the feed where changes are not recorded, so that no export is taken for unchanged', async () => {
  const silent = await startAgent({ safeFetch: web.fetch(), flags: { directory: { export: true } } })
  try {
    const url = `${silent.url.replace('/mcp', '')}/api/registry/authorizations/snapshot`
    const { status, headers } = await fetch(url, { headers: { 'if-none-match': '*' } })
    expect([status, headers.get('etag'), headers.get('x-sync-cursor')]).toEqual([200, null, null])
  } finally {
    await silent.stop()
  }
})

it('shows all that is known of one publisher', async () => {
  const view = await getJson(`${origin}/api/registry/publisher?domain=b.example`)
  expect(view).toMatchObject({
    domain: 'b.example',
    hosting: { mode: 'none', expected_url: wellKnown('b.example') },
    authorized_agents: [{ url: AGENT, file_url: wellKnown('m.example'), shown: true }],
    not_listed_because: [],
  })
  const revoked = await getJson(`${origin}/api/registry/publisher?domain=a.example`)
  expect(revoked).toMatchObject({
    authorized_agents: [],
    other_claims: expect.arrayContaining([expect.objectContaining({ url: AGENT, status: 'revoked', shown: true })]),
  })
  expect((await fetch(`${origin}/api/registry/publisher?domain=nobody.example`)).status).toBe(404)
})

it('a follower learns that changes were made while nothing was recorded, and one that starts again has them', async () => {
  await publish('gap.example', network(['gap-a.example', 'gap-b.example']))
  const sync = follower()
  const errors: string[] = []
  sync.on('error', ({ error }) => void errors.push(error.message))
  await sync.start()
  expect(domainsOf(sync)).toContain('gap-a.example')
  const { store } = agent.server
  await store.transaction((tx) => setRecording(tx, false))
  await publish('gap.example', network(['gap-b.example', 'gap-c.example']))
  await store.transaction((tx) => setRecording(tx, true))
  await until(() => errors.some((message) => message.includes('cursor_expired')))
  const anew = follower()
  await anew.start()
  expect(domainsOf(anew)).toEqual(expect.arrayContaining(['gap-b.example', 'gap-c.example']))
  expect(domainsOf(anew)).not.toContain('gap-a.example')
})

it('an unchanged page of the feed is not sent twice, an empty cursor is none, and one that expired is answered as the official schema says', async () => {
  const { origin } = new URL(agent.url)
  const first = await fetch(`${origin}/api/registry/feed?cursor=`)
  expect(first.status).toBe(200)
  time += 5_000
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await fetch(`${origin}/api/registry/feed?cursor=`, { headers })).status).toBe(304)
  let page = await getJson(`${origin}/api/registry/feed`)
  while (page.has_more) page = await getJson(`${origin}/api/registry/feed?cursor=${page.cursor}`)
  const { store } = agent.server
  await store.transaction((tx) => setRecording(tx, false))
  await publish('late.example', network(['late-a.example']))
  await store.transaction((tx) => setRecording(tx, true))
  const answer = await fetch(`${origin}/api/registry/feed?cursor=${page.cursor}`)
  expect([answer.status, await answer.json()]).toEqual([
    410,
    expect.objectContaining({ error: 'cursor_expired', code: 'cursor_expired', message: expect.stringContaining('start again') }),
  ])
})

it('a crawl by command without the setting leaves the record of the server on', async () => {
  const { config, ...operator } = operatorBeside(agent, () => new Date(time))
  const without = { ...config, directory: { ...config.directory, feed: false } }
  await crawlPublishers({ ...operator, config: without }, { domain: 'nowhere.example', log: { warn: () => undefined } })
  expect(await isRecording(agent.server.store.read)).toBe(true)
})
