import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { ComparedRow } from '../../../src/features/directory/divergence.ts'
import { indexedRows } from '../../../src/features/directory/indexed-rows.ts'
import { explain } from '../../../src/features/directory/why.ts'
import { AGENT, grant, network, ownFile } from '../../support/adagents-files.ts'
import { DAY, HOUR, openDirectory, type TestDirectory } from '../../support/directory.ts'
import { type FakeWeb, json, startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'

const revoke = (...domains: string[]) => ({
  revoked_publisher_domains: domains.map((publisher_domain) => ({ publisher_domain, revoked_at: '2020-01-01T00:00:00Z' })),
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

const publish = (domain: string, document: object) => web.put(wellKnown(domain), document)
const statusOf = async (domain: string) => (await directory.rows(AGENT))[domain]
const grantedAt = async (domain: string) =>
  (
    await directory.store.read
      .selectFrom('directory_claims')
      .select('granted_at')
      .where('publisher_domain', '=', domain)
      .executeTakeFirst()
  )?.granted_at
describe('revocation through all its steps', () => {
  const AUTHORIZED = 'adagents_authoritative m.example 1/1 authorized'
  const REVOKED = 'adagents_authoritative m.example 0/1 revoked'

  it('authorized, tombstone for one refresh interval, dropped, held for seven days, authorized again', async () => {
    publish('m.example', network(['a.example', 'b.example']))
    await directory.crawled('m.example')
    publish('m.example', network(['a.example', 'b.example'], revoke('HTTPS://A.example.')))
    await directory.pass(HOUR)
    await directory.refresh(['m.example'])
    expect(await directory.rows(AGENT)).toEqual({ 'a.example': REVOKED, 'b.example': AUTHORIZED })
    await directory.pass(DAY)
    // A 304 completes a refresh too.
    await directory.refresh(['m.example'])
    expect(await directory.rows(AGENT)).toEqual({ 'b.example': AUTHORIZED })
    publish('m.example', network(['a.example', 'b.example']))
    await directory.refresh(['m.example'])
    expect(await statusOf('a.example')).toBeUndefined()
    await directory.pass(6 * DAY - 1000)
    await directory.refresh(['m.example'])
    expect(await statusOf('a.example')).toBeUndefined()
    await directory.pass(1000)
    await directory.refresh(['m.example'])
    expect(await directory.rows(AGENT)).toEqual({ 'a.example': AUTHORIZED, 'b.example': AUTHORIZED })
  })

  it('a manager’s list voids the manager’s claims, never the publisher’s own grant', async () => {
    publish('m.example', network(['own.example'], revoke('own.example')))
    publish('own.example', ownFile())
    await directory.crawled('m.example', 'own.example')
    expect(await statusOf('own.example')).toBe('direct - 1/1 authorized')
    publish('other-manager.example', network(['managed.example']))
    publish('m.example', network(['managed.example'], revoke('managed.example')))
    await directory.crawled('other-manager.example', 'm.example')
    expect(await statusOf('managed.example')).toBe('adagents_authoritative other-manager.example 1/1 authorized')
  })

  it('a publisher’s own list voids every route, leaves a tombstone, and holds after the file is gone', async () => {
    publish('m.example', network(['leaving.example']))
    web.put(wellKnown('leaving.example'), status(404))
    await directory.crawled('m.example', 'leaving.example')
    expect(await statusOf('leaving.example')).toBe(AUTHORIZED)
    publish('leaving.example', { authorized_agents: [], ...revoke('leaving.example') })
    await directory.refresh(['leaving.example'])
    expect(await statusOf('leaving.example')).toBe('adagents_authoritative m.example 0/0 revoked')
    await directory.pass(DAY)
    await directory.refresh(['leaving.example'])
    expect(await statusOf('leaving.example')).toBeUndefined()
    web.remove(wellKnown('leaving.example'))
    await directory.refresh(['leaving.example', 'm.example'])
    expect(await statusOf('leaving.example')).toBeUndefined()
    await directory.pass(6 * DAY)
    await directory.refresh(['leaving.example', 'm.example'])
    expect(await statusOf('leaving.example')).toBe(AUTHORIZED)
  })

  it('shows the tombstone of a network whose file is fetched for a child and then for itself within one cycle', async () => {
    publish('m.example', network(['child.example', 'gone.example']))
    web.put(wellKnown('child.example'), { authoritative_location: wellKnown('m.example') })
    await directory.crawled('child.example', 'm.example')
    publish('m.example', network(['child.example', 'gone.example'], revoke('gone.example')))
    await directory.pass(HOUR)
    await directory.refresh(['child.example', 'm.example', 'child.example'])
    expect(await statusOf('gone.example')).toBe(REVOKED)
    await directory.pass(DAY - 1)
    await directory.refresh(['m.example'])
    expect(await statusOf('gone.example')).toBe(REVOKED)
    await directory.pass(1)
    expect(await statusOf('gone.example')).toBe(REVOKED)
    await directory.refresh(['m.example'])
    expect(await statusOf('gone.example')).toBeUndefined()
  })

  it('reaches publishers that point at the revoking file; their own refresh does not take the tombstone early', async () => {
    web.put(wellKnown('pointing.example'), { authoritative_location: 'https://files.example/a.json' })
    web.put('https://files.example/a.json', network(['pointing.example']))
    await directory.crawled('pointing.example')
    web.put('https://files.example/a.json', network(['pointing.example'], revoke('pointing.example')))
    await directory.refresh(['pointing.example'])
    expect(await statusOf('pointing.example')).toBe('authoritative_location files.example 0/1 revoked')
    await directory.refresh(['pointing.example'], { maxAgeMs: HOUR })
    expect(await statusOf('pointing.example')).toBe('authoritative_location files.example 0/1 revoked')
    await directory.pass(DAY)
    await directory.refresh(['pointing.example'])
    expect(await statusOf('pointing.example')).toBeUndefined()
  })

  it('survives a restart: the hold is in the store', async () => {
    publish('m.example', network(['a.example'], revoke('a.example')))
    await directory.crawled('m.example')
    publish('m.example', network(['a.example']))
    const reopened = await openDirectory(web.fetch(), { store: directory.store, start: '2026-03-02T00:00:00Z' })
    await reopened.refresh(['m.example'])
    expect(await reopened.rows(AGENT)).toEqual({})
  })
})

describe('freshness', () => {
  it('serves rows for 24 hours of failing, then none; a definitive 404 drops them at once', async () => {
    publish('flaky.example', ownFile())
    await directory.crawled('flaky.example')
    for (const page of [status(503), json('{"half":'), status(200, '<html>', { 'content-type': 'text/html' }), status(403)]) {
      web.put(wellKnown('flaky.example'), page)
      await directory.refresh(['flaky.example'])
      expect(await statusOf('flaky.example')).toBeDefined()
    }
    await directory.pass(DAY - 1000)
    await directory.refresh(['flaky.example'])
    expect(await statusOf('flaky.example')).toBeDefined()
    await directory.pass(1000)
    expect(await statusOf('flaky.example')).toBeUndefined()
    publish('flaky.example', ownFile())
    await directory.refresh(['flaky.example'])
    expect(await statusOf('flaky.example')).toBeDefined()
    web.remove(wellKnown('flaky.example'))
    await directory.refresh(['flaky.example'])
    expect(await statusOf('flaky.example')).toBeUndefined()
  })

  it('drops rows with the first failure when they are to be kept for no hours', async () => {
    publish('strict.example', ownFile())
    await directory.crawled('strict.example')
    web.put(wellKnown('strict.example'), status(503))
    const limits = { ...directory.deps.limits, failingMs: 0 }
    await directory.pass(25 * HOUR)
    await crawl({ ...directory.deps, limits }, { concurrency: 1 })
    expect(await statusOf('strict.example')).toBeUndefined()
  })

  it('a JSON document that is no adagents.json clears the rows', async () => {
    publish('turned.example', ownFile())
    await directory.crawled('turned.example')
    publish('turned.example', { version: '1', publishers: [] })
    await directory.refresh(['turned.example'])
    expect(await statusOf('turned.example')).toBeUndefined()
  })

  it('a publisher with a broken file of its own is not spoken for by strangers until the file is mended or gone', async () => {
    publish('stranger.example', network(['victim.example']))
    publish('victim.example', ownFile({ authorized_agents: [] }))
    await directory.crawled('stranger.example', 'victim.example')
    expect(await statusOf('victim.example')).toBeUndefined()
    publish('victim.example', { version: '1', publishers: [] })
    await directory.refresh(['victim.example', 'stranger.example'])
    expect(await statusOf('victim.example')).toBeUndefined()
    const { not_listed_because: reasons } = await explain(directory.store.read, 'victim.example', directory.now())
    expect(reasons).toContainEqual(expect.stringContaining('the publisher serves a file of its own that cannot be used'))
    web.put(wellKnown('victim.example'), json('{"authorized_agents": [],'))
    await directory.refresh(['victim.example', 'stranger.example'])
    await directory.pass(2 * DAY)
    await directory.refresh(['victim.example', 'stranger.example'])
    expect(await statusOf('victim.example')).toBeUndefined()
    web.remove(wellKnown('victim.example'))
    await directory.refresh(['victim.example'])
    expect(await statusOf('victim.example')).toBe('adagents_authoritative stranger.example 1/1 authorized')
  })

  it('leaves a mark when a publisher moves to a file that revokes it, from a file of its own as from another pointer', async () => {
    web.put('https://files.example/before.json', json(network(['moved.example'])))
    web.put(
      'https://files.example/revoking.json',
      json(network(['moved.example', 'own.example'], revoke('moved.example', 'own.example'))),
    )
    web.put(wellKnown('moved.example'), { authoritative_location: 'https://files.example/before.json' })
    publish('own.example', ownFile())
    await directory.crawled('moved.example', 'own.example')
    const began = await grantedAt('own.example')
    for (const domain of ['moved.example', 'own.example'])
      web.put(wellKnown(domain), { authoritative_location: 'https://files.example/revoking.json' })
    await directory.refresh(['moved.example', 'own.example'], { acceptPointer: true })
    expect(Object.values(await directory.rows(AGENT)).map((row) => row.split(' ').at(-1))).toEqual(['revoked', 'revoked'])
    web.put('https://files.example/granting.json', json(network(['third.example'])))
    publish('third.example', ownFile())
    await directory.crawled('third.example')
    const since = await grantedAt('third.example')
    await directory.pass(HOUR)
    web.put(wellKnown('third.example'), { authoritative_location: 'https://files.example/granting.json' })
    await directory.refresh(['third.example'])
    expect(await statusOf('third.example')).toBe('authoritative_location files.example 1/1 authorized')
    expect([began !== undefined, await grantedAt('third.example')]).toEqual([true, since])
  })

  it('half a file at the first visit is a broken one; later it changes nothing for a day', async () => {
    publish('stranger.example', network(['half.example', 'later.example']))
    web.put(wellKnown('half.example'), json('{"authorized_agents": [],'))
    await directory.crawled('stranger.example', 'half.example', 'later.example')
    const claimed = 'adagents_authoritative stranger.example 1/1 authorized'
    expect(await directory.rows(AGENT)).toEqual({ 'later.example': claimed })
    web.put(wellKnown('later.example'), json('{"authorized_agents": [],'))
    await directory.refresh(['later.example'])
    expect(await statusOf('later.example')).toBe(claimed)
    await directory.pass(DAY + 1)
    await directory.refresh(['later.example', 'stranger.example'])
    expect(await statusOf('later.example')).toBeUndefined()
    web.remove(wellKnown('later.example'))
    web.remove(wellKnown('half.example'))
  })

  it('without any refresh rows go after 7 days; a 304 starts the week anew', async () => {
    publish('week.example', ownFile())
    await directory.crawled('week.example')
    await directory.pass(6 * DAY)
    await directory.refresh(['week.example'])
    await directory.pass(6 * DAY)
    expect(await statusOf('week.example')).toBeDefined()
    await directory.pass(DAY)
    expect(await statusOf('week.example')).toBeUndefined()
  })

  it('refuses a rollback of last_updated, with a minute of tolerance', async () => {
    publish('rolled.example', ownFile({ last_updated: '2026-02-02T00:00:00Z' }))
    await directory.crawled('rolled.example')
    publish('rolled.example', { authorized_agents: [], last_updated: '2026-02-01T00:00:00Z' })
    await directory.refresh(['rolled.example'])
    expect(await statusOf('rolled.example')).toBe('direct - 1/1 authorized')
    publish('rolled.example', { authorized_agents: [], last_updated: '2026-02-01T23:59:30Z' })
    await directory.refresh(['rolled.example'])
    expect(await statusOf('rolled.example')).toBeUndefined()
  })

  it('holds a changed pointer back for 24 hours, or until an operator confirms it', async () => {
    const point = (location: string) => web.put(wellKnown('swap.example'), { authoritative_location: location })
    web.put('https://old.example/a.json', network(['swap.example']))
    web.put('https://new.example/a.json', network(['swap.example']))
    point('https://old.example/a.json')
    await directory.crawled('swap.example')
    point('https://new.example/a.json')
    await directory.refresh(['swap.example'])
    expect(await statusOf('swap.example')).toMatch(/old\.example/)
    const waits = /authoritative_location leads to https:\/\/new\.example\/a\.json since .* until .* --accept-pointer/
    const why = await explain(directory.store.read, 'swap.example', directory.now(), AGENT)
    expect([why.not_listed_because, why.notes]).toEqual([[], [expect.stringMatching(waits)]])
    const rows: ComparedRow[] = []
    for await (const row of indexedRows(directory.store.read, AGENT, directory.now()))
      if (row.publisher_domain === 'swap.example') rows.push(row)
    expect(rows).toMatchObject([{ heldBack: expect.stringMatching(waits) }])
    await directory.pass(DAY)
    await directory.refresh(['swap.example'])
    expect(await statusOf('swap.example')).toMatch(/new\.example/)
    point('https://old.example/a.json')
    await directory.refresh(['swap.example'], { acceptPointer: true })
    expect(await statusOf('swap.example')).toMatch(/old\.example/)
  })

  describe('a changed pointer against what else the publisher says', () => {
    const brandJson = 'https://swap.example/.well-known/brand.json'
    const agent = (url: string) => ({ type: 'sales', id: 'sales', url })
    const other = 'https://other.example/mcp'
    const handedTo = (url: string, fields: object = {}) =>
      network(['swap.example'], { authorized_agents: [grant({ url, ...fields })] })
    const lastReason = async () => {
      const attempts = await directory.store.read
        .selectFrom('directory_attempts')
        .select(['reason', 'result'])
        .where('publisher_domain', '=', 'swap.example')
        .orderBy('attempted_at', 'desc')
        .executeTakeFirstOrThrow()
      return `${attempts.result}: ${attempts.reason}`
    }
    /** The pointer moves from old.example to new.example and stays there for a day. */
    async function swap(pointer: object = {}): Promise<void> {
      web.put('https://old.example/a.json', { ...network(['swap.example']), last_updated: '2026-02-01T00:00:00Z' })
      web.put(wellKnown('swap.example'), { authoritative_location: 'https://old.example/a.json' })
      publish('elsewhere.example', ownFile({ authorized_agents: [grant({ url: other })] }))
      await directory.crawled('swap.example', 'elsewhere.example')
      web.put(wellKnown('swap.example'), { authoritative_location: 'https://new.example/a.json', ...pointer })
      await directory.refresh(['swap.example'])
      await directory.pass(DAY)
      await directory.refresh(['swap.example'])
    }
    afterEach(() => {
      web.remove(brandJson)
    })
    const shown = async () =>
      `${(await statusOf('swap.example'))?.split(' ')[1] ?? '-'} ${Object.keys(await directory.rows(other)).includes('swap.example')}`

    it('is held back while the new file authorises an agent that brand.json does not name, until an operator confirms it', async () => {
      web.put('https://new.example/a.json', handedTo(other))
      web.put(brandJson, { house: { domain: 'swap.example', name: 'Swap', agents: [agent(AGENT)] } })
      await swap()
      expect(await shown()).toBe('old.example false')
      expect(await lastReason()).toBe(
        'verified: a changed authoritative_location (https://new.example/a.json) is held back: it authorises https://other.example/mcp, which the brand.json of swap.example does not name',
      )
      expect(directory.warnings.at(-1)).toMatchObject({
        details: { domain: 'swap.example', adopted: 'https://old.example/a.json', pending: 'https://new.example/a.json' },
      })
      await directory.refresh(['swap.example'], { acceptPointer: true })
      expect(await shown()).toBe('- true')
    })

    it('is adopted once brand.json names the agent, wherever it declares it', async () => {
      web.put('https://new.example/a.json', handedTo(other))
      web.put(brandJson, { house: { domain: 'swap.example', name: 'Swap', agents: [agent(AGENT)] } })
      await swap()
      expect(await shown()).toBe('old.example false')
      web.put(brandJson, { authoritative_location: 'https://swap.example/brand.json' })
      web.put('https://swap.example/brand.json', { agents: [agent('https://OTHER.example:443/mcp')] })
      await directory.refresh(['swap.example'])
      expect(await shown()).toBe('- true')
    })

    it('a brand.json from before the pointer moved does not contradict; a page or a 403 in its place is none', async () => {
      web.put('https://new.example/a.json', handedTo(other))
      web.put(brandJson, { agents: [agent(AGENT)], last_updated: '2026-02-01T00:00:00Z' })
      await swap({ last_updated: '2026-02-20T00:00:00Z' })
      expect(await shown()).toBe('- true')
      for (const page of ['<html></html>', status(403, '<Error/>')]) {
        web.put(brandJson, page)
        await directory.refresh(['swap.example'], { acceptPointer: true })
        await swap()
        expect(await shown()).toBe('- true')
      }
    })

    it.each([
      [
        'brand.json cannot be read',
        handedTo(AGENT),
        { [brandJson]: status(503) },
        'the brand.json of swap.example cannot be read',
      ],
      ['there is no file at the new place', undefined, {}, 'no authoritative file can be read there'],
      [
        'the new file is older',
        { ...handedTo(AGENT), last_updated: '2026-01-01T00:00:00Z' },
        {},
        'its last_updated is older than that of the file in force',
      ],
      [
        'nobody has met the agent',
        handedTo('https://stranger.example', { effective_from: '2027-01-01T00:00:00Z' }),
        {},
        'it authorises https://stranger.example, which no other file has named before',
      ],
    ])('is held back when %s', async (_case, file, pages, reason) => {
      if (file) web.put('https://new.example/a.json', file)
      else web.remove('https://new.example/a.json')
      for (const [url, page] of Object.entries(pages)) web.put(url, page)
      await swap()
      expect(await shown()).toBe('old.example false')
      expect(await lastReason()).toContain(`is held back: ${reason}`)
    })

    it('is held back when the new file delegates less directly', async () => {
      web.put('https://new.example/a.json', handedTo(AGENT, { delegation_type: 'ad_network' }))
      web.put('https://old.example/a.json', handedTo(AGENT, { delegation_type: 'direct' }))
      web.put(wellKnown('swap.example'), { authoritative_location: 'https://old.example/a.json' })
      await directory.crawled('swap.example')
      web.put(wellKnown('swap.example'), { authoritative_location: 'https://new.example/a.json' })
      await directory.refresh(['swap.example'])
      await directory.pass(DAY)
      await directory.refresh(['swap.example'])
      expect(await lastReason()).toContain('it delegates less directly than the file in force')
      expect(await shown()).toBe('old.example false')
    })

    it('is looked at again by the schedule, not at once', async () => {
      web.put('https://new.example/a.json', handedTo(AGENT))
      web.put(brandJson, status(503))
      await swap()
      const { next_attempt_at } = await directory.store.read
        .selectFrom('directory_publishers')
        .select('next_attempt_at')
        .where('publisher_domain', '=', 'swap.example')
        .executeTakeFirstOrThrow()
      expect(Date.parse(next_attempt_at) - directory.now().getTime()).toBe(DAY)
    })
  })

  it('drops what a file grants when the last publisher that pointed at it has left', async () => {
    const target = 'https://files.example/orphan.json'
    web.put(target, network(['one.example', 'two.example', 'sibling.example']))
    for (const domain of ['one.example', 'two.example']) web.put(wellKnown(domain), { authoritative_location: target })
    await directory.crawled('one.example', 'two.example')
    expect(await statusOf('sibling.example')).toBe('adagents_authoritative files.example 1/1 authorized')
    publish('one.example', ownFile())
    await directory.refresh(['one.example'])
    expect(await statusOf('sibling.example')).toBe('adagents_authoritative files.example 1/1 authorized')
    web.remove(wellKnown('two.example'))
    await directory.refresh(['two.example'])
    expect(await directory.rows(AGENT)).toEqual({ 'one.example': 'direct - 1/1 authorized' })
  })

  it('evaluates effective windows at the moment they turn', async () => {
    publish(
      'window.example',
      ownFile({
        authorized_agents: [grant({ effective_from: '2026-03-01T06:00:00Z', effective_until: '2026-03-01T09:00:00Z' })],
      }),
    )
    await directory.add('window.example')
    await crawl(directory.deps, { concurrency: 1 })
    expect(await directory.rows(AGENT)).toEqual({})
    await directory.pass(6 * HOUR)
    await crawl(directory.deps, { concurrency: 1 })
    expect(await statusOf('window.example')).toBe('direct - 1/1 authorized')
    await directory.pass(3 * HOUR)
    await crawl(directory.deps, { concurrency: 1 })
    expect(await directory.rows(AGENT)).toEqual({})
  })

  it('sends the validators of the copy it holds', async () => {
    let conditional = 0
    const page = json(ownFile())
    web.put(wellKnown('cached.example'), (request, response) => {
      if (request.headers['if-none-match']) conditional += 1
      page(request, response)
    })
    await directory.crawled('cached.example')
    await directory.refresh(['cached.example'])
    expect(conditional).toBe(1)
    expect(await statusOf('cached.example')).toBe('direct - 1/1 authorized')
  })
})

describe('work in the store', () => {
  it('a killed worker’s publishers are handed out again when the lease ends; running ones are not', async () => {
    publish('leased.example', ownFile())
    await directory.add('leased.example')
    const { leaseDue } = await import('../../../src/store/directory/directory-leases.ts')
    const lease = (owner: string) =>
      directory.store.transaction((tx) => leaseDue(tx, { owner, now: directory.now(), leaseMs: 300_000, limit: 10 }))
    expect(await lease('killed')).toEqual(['leased.example'])
    expect(await lease('second')).toEqual([])
    await directory.pass(300_001)
    expect(await lease('third')).toEqual(['leased.example'])
  })

  it('a crawl names what a killed worker still holds, or waits until its lease ends', async () => {
    publish('leased.example', ownFile())
    await directory.add('leased.example')
    const { leaseDue } = await import('../../../src/store/directory/directory-leases.ts')
    const request = { owner: 'killed', now: directory.now(), leaseMs: 300_000, limit: 10 }
    await directory.store.transaction((tx) => leaseDue(tx, request))
    const remaining = [{ domain: 'leased.example', owner: 'killed', until: '2026-03-01T00:05:00.000Z' }]
    expect(await crawl(directory.deps, { concurrency: 1 })).toEqual({ elsewhere: [], done: 0, failed: 0, absent: 0, remaining })
    const waiting = crawl(directory.deps, { concurrency: 1, waitForLeases: true })
    await directory.pass(300_001)
    expect(await waiting).toEqual({ done: 1, failed: 0, absent: 0, elsewhere: [], remaining: [] })
    expect(await statusOf('leased.example')).toBe('direct - 1/1 authorized')
  })

  it('counts a publisher without a file apart from one that failed', async () => {
    web.put(wellKnown('down.example'), status(500))
    await directory.add('down.example', 'absent.example')
    expect(await crawl(directory.deps, { concurrency: 2 })).toMatchObject({ done: 2, failed: 1, absent: 1 })
  })

  it('two crawlers share the work and fetch everything once', async () => {
    const domains = Array.from({ length: 20 }, (_, index) => `s${index}.split.example`)
    for (const domain of domains) publish(domain, ownFile())
    await directory.add(...domains)
    web.forgetRequests()
    const totals = await Promise.all(['one', 'two'].map((worker) => crawl({ ...directory.deps, worker }, { concurrency: 3 })))
    expect(totals.map((total) => total.done).reduce((sum, done) => sum + done)).toBe(20)
    expect(web.requests.filter((url) => url.includes('split.example')).sort()).toEqual(domains.map(wellKnown).sort())
    expect(Object.keys(await directory.rows(AGENT))).toHaveLength(20)
  })

  it('a failing publisher is tried again soon, an absent one rarely', async () => {
    web.put(wellKnown('down.example'), status(500))
    await directory.add('down.example', 'absent.example')
    await crawl(directory.deps, { concurrency: 2 })
    const due = await directory.store.read
      .selectFrom('directory_publishers')
      .select(['publisher_domain', 'next_attempt_at'])
      .orderBy('publisher_domain')
      .execute()
    expect(due).toEqual([
      { publisher_domain: 'absent.example', next_attempt_at: '2026-03-02T00:00:00.000Z' },
      { publisher_domain: 'down.example', next_attempt_at: '2026-03-01T00:05:00.000Z' },
    ])
  })
})
