import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentView } from '../../../src/features/directory/agent-view.ts'
import { authorizationLines } from '../../../src/features/directory/export.ts'
import { explain } from '../../../src/features/directory/why.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { directoryId } from '../../../src/store/directory/directory-agents.ts'
import { claimsOfDomains } from '../../../src/store/directory/directory-claim-rows.ts'
import { setRecording } from '../../../src/store/directory/directory-feed.ts'
import { listOtherPropertyIds } from '../../../src/store/directory/directory-identifiers.ts'
import { createDirectoryReader } from '../../../src/store/directory/directory-lookup.ts'
import { pageAuthorizations } from '../../../src/store/directory/directory-snapshot.ts'
import { listClaimSources } from '../../../src/store/directory/directory-sources.ts'
import { findByIdentifier } from '../../../src/store/directory/identified-properties.ts'
import { listEventsOf, pageEvents } from '../../../src/store/directory/registry-events.ts'
import { PAGE_BYTES } from '../../../src/store/page-size.ts'
import { openDirectory, type TestDirectory } from '../../support/directory.ts'

const [PROPERTIES, AGENTS] = [240, 240]
const PUBLISHERS = ['own.example', 'one.example', 'two.example', 'three.example', 'four.example']
const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const agentUrl = (index: number) => `https://a${index}.example/mcp`
const agent = (index: number) => ({
  url: agentUrl(index),
  authorized_for: 'ads',
  authorization_type: 'property_tags',
  property_tags: ['t'],
})
const property = (index: number, length: number) => ({
  property_id: `p${index}_`.padEnd(length, 'x'),
  property_type: 'website',
  name: 'A site',
  identifiers: [{ type: 'domain', value: 'shared.example' }],
  tags: ['t'],
})
const largest = JSON.stringify({
  properties: each(PROPERTIES, (at) => property(at, 255)),
  authorized_agents: each(AGENTS, agent),
})
/** One agent may sell 2,000 properties of each publisher. */
const large = JSON.stringify({ properties: each(2_000, (at) => property(at, 200)), authorized_agents: [agent(AGENTS)] })
const ofMany = JSON.stringify({ properties: [property(0, 20)], authorized_agents: each(1_500, agent) })

/** Declares the identifier for publishers of which nobody knows yet whether they have a file. */
const strangers = (name: string) =>
  JSON.stringify({
    properties: each(1_000, (at) => ({ ...property(at, 20), publisher_domain: `${name}${at}.example` })),
    authorized_agents: [agent(0)],
  })

const FILES: Readonly<Record<string, string>> = {
  'large.example': largest,
  'many.example': ofMany,
  'strange.example': strangers('a'),
  'stranger.example': strangers('b'),
}
const fetch: SafeFetch = async (url) => {
  const { hostname, pathname } = new URL(url)
  const file = pathname === '/.well-known/adagents.json' ? (FILES[hostname] ?? (PUBLISHERS.includes(hostname) && large)) : false
  const head = { etag: undefined, lastModified: undefined, retryAfter: undefined, contentType: 'application/json' }
  return { ...head, url, body: Buffer.from(file || ''), status: file ? 200 : 404 }
}

let directory: TestDirectory
beforeAll(async () => {
  directory = await openDirectory(fetch)
  await directory.store.transaction((tx) => setRecording(tx, true))
  const domains = [...Object.keys(FILES), ...PUBLISHERS]
  await directory.add(...domains)
  await directory.refresh(domains)
}, 120_000)
afterAll(() => directory?.close())

const idsOf = (rows: readonly { readonly property_ids: string }[]) =>
  rows.reduce((sum, { property_ids: { length } }) => sum + length, 0)

it('who may sell the properties with an identifier is no product of properties and agents', async () => {
  const before = process.cpuUsage()
  const found = await findByIdentifier(directory.store.read, { type: 'domain', value: 'shared.example', limit: 1_000 })
  const { user, system } = process.cpuUsage(before)
  expect(found).toHaveLength(1_000)
  expect(found[0]).not.toHaveProperty('property_ids')
  // As a product, the engine sorts 57,600 rows of 62 kB each for many seconds.
  expect((user + system) / 1_000).toBeLessThan(1_000)
})

it('pages end before the ids of properties are too many, and nothing is left out', async () => {
  const { read } = directory.store
  let rows = 0
  for (let after: Awaited<ReturnType<typeof pageAuthorizations>>['next'], first = true; first || after; first = false) {
    const page = await pageAuthorizations(read, after, 1_000)
    const all = page.agents.flatMap((each) => each.rows)
    expect(idsOf(all)).toBeLessThan(2 * PAGE_BYTES)
    rows += all.length
    after = page.next
  }
  expect(rows).toBe(AGENTS + PUBLISHERS.length + 1_500)
  let lines = 0
  for await (const text of authorizationLines(read)) {
    expect(text.length).toBeLessThan(3 * PAGE_BYTES)
    lines += text.split('\n').length - 1
  }
  expect(lines).toBe(rows)
  const seller = agentUrl(AGENTS)
  const publishers: unknown[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const view: Awaited<ReturnType<typeof agentView>> = await agentView(read, seller, { after, limit: 100 })
    expect(view?.publishers.length).toBeLessThan(PUBLISHERS.length)
    publishers.push(...(view?.publishers ?? []))
    after = view?.next
  }
  // That file has many agents, and this one is among them.
  expect(publishers).toHaveLength(PUBLISHERS.length + 1)
  const reader = createDirectoryReader(read)
  const request = { agentId: directoryId(seller), statuses: ['authorized' as const], since: undefined, after: undefined }
  const page = { ...request, limit: 200, withFileForm: false }
  const [with_, without] = [true, false].map((withPropertyIds) => reader.readRows({ ...page, withPropertyIds }))
  const first = JSON.parse(`[${(await with_)?.entries}]`)
  expect(first.length).toBeLessThan(PUBLISHERS.length)
  expect((await with_)?.continuesAfter).toBe(first.at(-1).publisher_domain)
  expect(JSON.parse(`[${(await without)?.entries}]`)).toHaveLength(PUBLISHERS.length + 1)
})

it('events are in pages of that size, and none is lost', async () => {
  const { read } = directory.store
  const types = new Map<string, number>()
  for (let after: number | undefined, more = true; more; ) {
    const page: Awaited<ReturnType<typeof pageEvents>> = await pageEvents(read, { after, limit: 10_000, wants: () => true })
    expect(page.events.reduce((sum, { payload: { length } }) => sum + length, 0)).toBeLessThan(2 * PAGE_BYTES)
    for (const { event_type } of page.events) types.set(event_type, (types.get(event_type) ?? 0) + 1)
    after = page.position
    more = page.hasMore
  }
  expect(types.get('authorization.granted')).toBe(AGENTS + PUBLISHERS.length + 1_500)
  const last = await listEventsOf(read, 'large.example', 50)
  expect(last.reduce((sum, { payload: { length } }) => sum + length, 0)).toBeLessThan(PAGE_BYTES)
})

it('claims are explained without their ids, and one agent is found among any number', async () => {
  const { read } = directory.store
  const claims = await listClaimSources(read, 'large.example')
  expect(claims).toHaveLength(AGENTS)
  expect(claims[0]).not.toHaveProperty('property_ids')
  const all = (await listClaimSources(read, 'many.example')).map(({ agent_url }) => agent_url)
  expect(all).toHaveLength(1_000)
  const others = each(1_500, agentUrl).filter((url) => !all.includes(url))
  const about = await explain(read, 'many.example', directory.now(), others[0])
  expect(about.claims).toMatchObject([{ agent_url: others[0], shown: true }])
})

it('what other files say of a publisher is read without ids, and its event has them once it is shown', async () => {
  const [head] = await claimsOfDomains(directory.store.read, ['a7.example'])
  expect(head).toMatchObject({ shown: '', route: 'fanout' })
  expect(head).not.toHaveProperty('property_ids')
  await directory.crawled('a7.example')
  const [event] = await listEventsOf(directory.store.read, 'a7.example', 1)
  expect(event?.event_type).toBe('authorization.granted')
  expect(JSON.parse(event?.payload ?? '')).toMatchObject({ property_ids: [property(7, 20).property_id] })
})

it('properties of a file that an agent may not sell are found in parts', async () => {
  const documentId = directoryId('https://own.example/.well-known/adagents.json')
  const of = { documentId, publisher: 'own.example', implied: true }
  const ids = each(2_000, (at) => property(at, 200).property_id).sort()
  const { read } = directory.store
  expect(await listOtherPropertyIds(read, of, new Set(ids.slice(0, 1_500)), 400)).toEqual(ids.slice(1_500, 1_900))
  expect(await listOtherPropertyIds(read, of, new Set(ids), 400)).toEqual([])
  expect(await listOtherPropertyIds(read, { ...of, implied: false }, new Set(), 400)).toEqual([])
})
