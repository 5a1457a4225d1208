import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addDomains, takeOff, unblock } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { explain } from '../../../src/features/directory/why.ts'
import { findExclusion } from '../../../src/store/directory/directory-exclusions.ts'
import { setRecording } from '../../../src/store/directory/directory-feed.ts'
import { leaseDue } from '../../../src/store/directory/directory-leases.ts'
import { findPublisher } from '../../../src/store/directory/directory-publishers.ts'
import { listEventsOf } from '../../../src/store/directory/registry-events.ts'
import { AGENT, grant, network, ownFile, property } from '../../support/adagents-files.ts'
import { DAY, HOUR, openDirectory, type TestDirectory } from '../../support/directory.ts'
import { adsTxt, type FakeWeb, startFakeWeb, status, text, wellKnown } from '../../support/fake-web/fake-web.ts'

/** A file whose selector mentions names and answers for none of them. */
const mentioning = (publisher_domains: readonly string[]) => ({
  authorized_agents: [
    {
      url: AGENT,
      authorized_for: 'all',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domains, selection_type: 'all' }],
    },
  ],
})

let web: FakeWeb
let directory: TestDirectory
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())
beforeEach(async () => {
  directory = await openDirectory(web.fetch())
})
afterEach(() => directory.close())

const listed = async (domain: string) => (await findPublisher(directory.store.read, domain)) !== undefined
const exclusion = async (domain: string) => (await findExclusion(directory.store.read, domain))?.kind

it('visits a dead name ever more rarely, down to once a week, and drops it with a record after 90 days', async () => {
  web.put(wellKnown('dead.example'), status(500))
  await directory.add('dead.example')
  web.forgetRequests()
  let days = 0
  for (; days < 120 && (await listed('dead.example')); days += 1) {
    for (let hour = 0; hour < 24; hour += 6) {
      await crawl(directory.deps, { concurrency: 1 })
      await directory.pass(DAY / 4)
    }
  }
  expect(days).toBeGreaterThanOrEqual(90)
  expect(days).toBeLessThan(100)
  expect(web.requests.filter((url) => url === wellKnown('dead.example')).length).toBeLessThan(25)
  expect(await findExclusion(directory.store.read, 'dead.example')).toMatchObject({
    kind: 'dropped',
    reason: 'no visit has given a file since 2026-03-01T00:00:00.000Z',
  })
  // A mention does not bring it back at once, an operator does.
  web.put(wellKnown('m.example'), mentioning(['dead.example']))
  await directory.add('m.example')
  await directory.refresh(['m.example'])
  expect(await listed('dead.example')).toBe(false)
  await directory.add('dead.example')
  expect([await listed('dead.example'), await exclusion('dead.example')]).toEqual([true, undefined])
})

it('keeps on visiting a name that a manager speaks for', async () => {
  web.put(wellKnown('m.example'), network(['managed.example']))
  await directory.add('m.example', 'managed.example')
  for (let week = 0; week < 15; week += 1) {
    await directory.refresh('all')
    await directory.pass(6 * DAY)
  }
  expect(await listed('managed.example')).toBe(true)
})

it('asks a dropped name at once when a file grants something of it', async () => {
  await directory.add('lapsed.example')
  for (let week = 0; week < 15; week += 1) {
    await directory.refresh('all')
    await directory.pass(7 * DAY)
  }
  expect([await listed('lapsed.example'), await exclusion('lapsed.example')]).toEqual([false, 'dropped'])
  web.put(wellKnown('m.example'), network(['lapsed.example']))
  await directory.add('m.example')
  await directory.visitDue()
  expect(await directory.rows(AGENT)).toEqual({ 'lapsed.example': 'adagents_authoritative m.example 1/1 authorized' })
})

it('hands out names that a selector merely mentions after all others, and a bounded number of one file', async () => {
  const mentioned = Array.from({ length: 10_050 }, (_, index) => `n${index}.mentioned.example`)
  web.put(wellKnown('m.example'), mentioning(mentioned))
  await directory.add('m.example')
  await directory.refresh(['m.example'])
  const waiting = await directory.store.read
    .selectFrom('directory_publishers')
    .select((eb) => eb.fn.countAll<number>().as('names'))
    .where('priority', '=', 1)
    .executeTakeFirstOrThrow()
  expect(Number(waiting.names)).toBe(10_000)
  await directory.pass(1000)
  await directory.add('known.example')
  const lease = (limit: number) =>
    directory.store.transaction((tx) => leaseDue(tx, { owner: 'w', now: directory.now(), leaseMs: 60_000, limit }))
  expect(await lease(1)).toEqual(['known.example'])
  expect(await lease(3)).toHaveLength(3)
  // One that comes in its own right waits no longer.
  await directory.add('n9000.mentioned.example')
  expect(await lease(1)).toEqual(['n9000.mentioned.example'])
}, 120_000)

it('stays away from a publisher whose robots.txt says so and that serves no file', async () => {
  const robots = 'User-agent: adcp-sales-agent-directory\nDisallow: /\n'
  web.put('https://away.example/robots.txt', text(robots))
  web.put('https://serving.example/robots.txt', text(robots))
  web.put(wellKnown('serving.example'), ownFile())
  await directory.add('away.example', 'serving.example')
  await directory.refresh(['away.example', 'serving.example'])
  expect([await listed('away.example'), await exclusion('away.example')]).toEqual([false, 'opted_out'])
  expect(await directory.rows(AGENT)).toEqual({ 'serving.example': 'direct - 1/1 authorized' })
})

it('removes a publisher with its rows, blocks one for good, and lets both come back when asked to', async () => {
  web.put(wellKnown('m.example'), network(['a.example', 'b.example']))
  web.put(wellKnown('a.example'), ownFile())
  await directory.add('m.example', 'a.example', 'b.example')
  await directory.refresh('all')
  expect(Object.keys(await directory.rows(AGENT))).toEqual(['a.example', 'b.example'])
  await takeOff(directory.deps, 'a.example', { kind: 'removed', reason: 'asked by mail' })
  await takeOff(directory.deps, 'b.example', { kind: 'blocked', reason: 'spam' })
  expect(await directory.rows(AGENT)).toEqual({})
  await directory.refresh('all')
  expect(await directory.rows(AGENT)).toEqual({})
  expect([await listed('a.example'), await listed('b.example')]).toEqual([false, false])
  await expect(takeOff(directory.deps, 'a.example', { kind: 'removed', reason: '' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
  await expect(addDomains(directory.deps, ['b.example'])).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'domain' })
  await unblock(directory.deps, 'b.example')
  await directory.add('a.example')
  await directory.refresh('all')
  expect(await directory.rows(AGENT)).toEqual({
    'a.example': 'direct - 1/1 authorized',
    'b.example': 'adagents_authoritative m.example 1/1 authorized',
  })
})

it('lets the file of a removed manager speak for those alone whose ads.txt leads to it later', async () => {
  web.put(wellKnown('gone-manager.example'), network(['later.example', 'other.example']))
  web.put(wellKnown('failing-manager.example'), status(500))
  await directory.add('gone-manager.example', 'failing-manager.example', 'later.example', 'later-too.example', 'other.example')
  await directory.refresh('all')
  for (const manager of ['gone-manager.example', 'failing-manager.example'])
    await takeOff(directory.deps, manager, { kind: 'removed', reason: 'asked by mail' })
  web.put(wellKnown('failing-manager.example'), network(['later-too.example', 'other.example']))
  web.put(adsTxt('later.example'), text('MANAGERDOMAIN=gone-manager.example\n'))
  web.put(adsTxt('later-too.example'), text('MANAGERDOMAIN=failing-manager.example\n'))
  await directory.pass(DAY)
  await directory.refresh('all')
  expect(await directory.rows(AGENT)).toEqual({
    'later.example': 'ads_txt_managerdomain gone-manager.example 1/1 authorized',
    'later-too.example': 'ads_txt_managerdomain failing-manager.example 1/1 authorized',
  })
})

it('takes only its own rows away with a manager that others lead to, whichever way they do', async () => {
  const entries = (...domains: string[]) => ({
    properties: [property(), ...domains.map((publisher_domain) => property({ publisher_domain }))],
    authorized_agents: [grant()],
    revoked_publisher_domains: [{ publisher_domain: 'revoked.example', revoked_at: '2026-01-01T00:00:00Z' }],
  })
  web.put(wellKnown('pointed.example'), { ...entries('named.example', 'revoked.example'), revoked_publisher_domains: [] })
  web.put(wellKnown('points.example'), { authoritative_location: wellKnown('pointed.example') })
  web.put(wellKnown('by-ads.example'), entries('led.example', 'listed.example'))
  web.put(adsTxt('led.example'), text('MANAGERDOMAIN=by-ads.example\n'))
  const managers = ['pointed.example', 'by-ads.example'] as const
  await directory.add(...managers, 'points.example', 'led.example')
  await directory.refresh('all')
  await directory.visitDue()
  web.put(wellKnown('pointed.example'), entries('named.example', 'revoked.example'))
  await directory.pass(HOUR)
  await directory.refresh('all')
  const [pointed, byAds] = ['adagents_authoritative pointed.example', 'adagents_authoritative by-ads.example']
  expect(await directory.rows(AGENT)).toEqual({
    'by-ads.example': 'direct - 1/1 authorized',
    'led.example': `${byAds} 1/1 authorized`,
    'listed.example': `${byAds} 1/1 authorized`,
    'named.example': `${pointed} 1/1 authorized`,
    'pointed.example': 'direct - 1/1 authorized',
    'points.example': 'authoritative_location pointed.example 1/1 authorized',
    'revoked.example': `${pointed} 0/1 revoked`,
  })
  await directory.store.transaction((tx) => setRecording(tx, true))
  await takeOff(directory.deps, 'pointed.example', { kind: 'removed', reason: 'asked by mail' })
  await takeOff(directory.deps, 'by-ads.example', { kind: 'blocked', reason: 'asked by mail' })
  const after = {
    // Its ads.txt leads to the file, which speaks for nobody else any longer.
    'led.example': 'ads_txt_managerdomain by-ads.example 1/1 authorized',
    'named.example': `${pointed} 1/1 authorized`,
    'points.example': 'authoritative_location pointed.example 1/1 authorized',
    'revoked.example': `${pointed} 0/1 revoked`,
  }
  expect(await directory.rows(AGENT)).toEqual(after)
  const told = async (domain: string) =>
    (await listEventsOf(directory.store.read, domain, 10)).map(({ event_type, payload }) => [
      event_type,
      JSON.parse(payload).reason,
    ])
  expect(await told('pointed.example')).toEqual([['authorization.revoked', 'removed_from_directory']])
  expect(await told('listed.example')).toEqual([['authorization.revoked', 'manager_removed_from_directory']])
  for (const domain of ['points.example', 'named.example', 'revoked.example']) expect(await told(domain)).toEqual([])
  expect(await explain(directory.store.read, 'listed.example', directory.now(), AGENT)).toMatchObject({
    not_listed_because: ['it has no file of its own, and no file of a manager that is read here names this agent for it'],
  })
  await directory.pass(HOUR)
  await directory.refresh('all')
  expect(await directory.rows(AGENT)).toEqual(after)
  // With the last publisher that leads to it a file of a removed name is no longer read.
  await takeOff(directory.deps, 'points.example', { kind: 'removed', reason: 'asked by mail' })
  expect(Object.keys(await directory.rows(AGENT))).toEqual(['led.example'])
  expect(await told('named.example')).toEqual([['authorization.revoked', 'manager_removed_from_directory']])
  expect(await told('points.example')).toEqual([['authorization.revoked', 'removed_from_directory']])
})

it('tells why rows end that the file of a manager alone held, when nobody leads to it and when it grants them no longer', async () => {
  const grants = (...domains: string[]) => ({
    properties: domains.map((publisher_domain) => property({ publisher_domain })),
    authorized_agents: [grant()],
  })
  const shared = 'https://files.example/shared.json'
  web.put(shared, grants('leads.example', 'alone.example', 'left.example'))
  web.put(wellKnown('leads.example'), { authoritative_location: shared })
  await directory.add('leads.example')
  await directory.visitDue()
  expect(Object.keys(await directory.rows(AGENT))).toEqual(['alone.example', 'leads.example', 'left.example'])
  await directory.store.transaction((tx) => setRecording(tx, true))
  const told = async (domain: string) =>
    (await listEventsOf(directory.store.read, domain, 10)).flatMap(({ event_type, payload }) =>
      event_type === 'authorization.revoked' ? JSON.parse(payload).reason : [],
    )
  web.put(shared, grants('leads.example', 'alone.example'))
  await directory.pass(HOUR)
  await directory.refresh('all')
  expect(await told('left.example')).toEqual(['no_longer_authorized'])
  await takeOff(directory.deps, 'leads.example', { kind: 'removed', reason: 'asked by mail' })
  expect(await told('leads.example')).toEqual(['removed_from_directory'])
  expect(await told('alone.example')).toEqual(['manager_file_not_followed'])
})

it('asks a manager too that its own file names, but not one that only an ads.txt leads to, nor one that was removed', async () => {
  web.put(wellKnown('self-named.example'), network(['self-named.example', 'child.example']))
  web.put(wellKnown('child.example'), { authoritative_location: wellKnown('self-named.example') })
  web.put(wellKnown('ads-only.example'), network(['ads-only.example', 'led-child.example']))
  web.put(adsTxt('led-child.example'), text('MANAGERDOMAIN=ads-only.example\n'))
  await directory.add('child.example', 'led-child.example')
  await directory.visitDue()
  const of = (shown: readonly string[]) => directory.rows(AGENT).then((rows) => shown.filter((domain) => domain in rows))
  const all = ['ads-only.example', 'child.example', 'led-child.example', 'self-named.example']
  expect(await of(all)).toEqual(['child.example', 'led-child.example', 'self-named.example'])
  const { not_listed_because: why } = await explain(directory.store.read, 'ads-only.example', directory.now(), AGENT)
  expect(why).toEqual([expect.stringContaining('is read for the publishers alone that lead to it')])
  await takeOff(directory.deps, 'self-named.example', { kind: 'removed', reason: 'asked by mail' })
  await directory.pass(HOUR)
  await directory.refresh('all')
  expect(await of(all)).toEqual(['child.example', 'led-child.example'])
  expect(await listed('self-named.example')).toBe(false)
})
