import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { explain } from '../../../src/features/directory/why.ts'
import { AGENT, grant, network, ownFile, property } from '../../support/adagents-files.ts'
import { DAY, openDirectory, type TestDirectory } from '../../support/directory.ts'
import { adsTxt, type FakeWeb, json, redirect, startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'

const OTHER = 'https://other.example/mcp'

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

describe('routes', () => {
  it('direct: manager is null, the pin comes from the entry that grants', async () => {
    web.put(
      wellKnown('direct.example'),
      ownFile({
        authorized_agents: [grant({ url: 'HTTPS://AGENT.example:443/mcp/', signing_keys: [{ kid: 'k', kty: 'OKP' }] })],
      }),
    )
    await directory.crawled('direct.example')
    expect(await directory.rows(AGENT)).toEqual({ 'direct.example': 'direct - 1/1 authorized pinned' })
  })

  it('pointer: the manager is the host of the target, properties without a domain are the pointing publisher’s', async () => {
    web.put(wellKnown('pointing.example'), { authoritative_location: 'https://files.manager.example/a.json' })
    web.put('https://files.manager.example/a.json', ownFile())
    await directory.crawled('pointing.example')
    expect(await directory.rows(AGENT)).toEqual({
      'pointing.example': 'authoritative_location files.manager.example 1/1 authorized',
    })
  })

  it('an orphan pointer, whose file names nothing of the publisher, gives no row; siblings get the host as manager', async () => {
    web.put(wellKnown('orphan.example'), { authoritative_location: 'https://m.orphans.example/a.json' })
    web.put('https://m.orphans.example/a.json', network(['sibling.example']))
    await directory.crawled('orphan.example')
    expect(await directory.rows(AGENT)).toEqual({ 'sibling.example': 'adagents_authoritative m.orphans.example 1/1 authorized' })
  })

  it('6 pointers share one fetch of the manager’s file', async () => {
    const domains = Array.from({ length: 6 }, (_, index) => `p${index}.shared.example`)
    for (const domain of domains) web.put(wellKnown(domain), { authoritative_location: 'https://m.shared.example/a.json' })
    web.put('https://m.shared.example/a.json', network(domains))
    web.forgetRequests()
    await directory.add(...domains)
    const { crawl } = await import('../../../src/features/directory/crawler.ts')
    await crawl(directory.deps, { concurrency: 3 })
    expect(web.requests.filter((url) => url === 'https://m.shared.example/a.json')).toHaveLength(1)
    expect(Object.values(await directory.rows(AGENT))).toEqual(
      domains.map(() => 'authoritative_location m.shared.example 1/1 authorized'),
    )
  })

  it('refuses a nested pointer, a pointer to itself, a redirecting target, a target that is missing', async () => {
    web.put(wellKnown('nested.example'), { authoritative_location: 'https://n1.example/a.json' })
    web.put('https://n1.example/a.json', { authoritative_location: 'https://n2.example/a.json' })
    web.put('https://n2.example/a.json', ownFile())
    web.put(wellKnown('self.example'), { authoritative_location: wellKnown('self.example') })
    web.put(wellKnown('moved.example'), { authoritative_location: 'https://moved2.example/a.json' })
    web.put('https://moved2.example/a.json', redirect('https://moved2.example/b.json'))
    web.put('https://moved2.example/b.json', ownFile())
    web.put(wellKnown('missing.example'), { authoritative_location: 'https://missing2.example/a.json' })
    // A 404 on the target does not open the ads.txt route.
    web.put(adsTxt('missing.example'), 'MANAGERDOMAIN=direct.example')
    web.forgetRequests()
    await directory.crawled('nested.example', 'self.example', 'moved.example', 'missing.example')
    expect(await directory.rows(AGENT)).toEqual({})
    expect(web.requests).not.toContain(adsTxt('missing.example'))
    expect(web.requests).not.toContain('https://moved2.example/b.json')
  })

  it('a file with both a pointer and agents is a pointer', async () => {
    web.put(wellKnown('both.example'), ownFile({ authoritative_location: 'https://m.both.example/a.json' }))
    web.put('https://m.both.example/a.json', { authorized_agents: [] })
    await directory.crawled('both.example')
    expect(await directory.rows(AGENT)).toEqual({})
  })
})

describe('ads.txt', () => {
  const s3 = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'

  it.each([
    ['404', status(404), 1],
    ['S3-style 403', status(403, s3, { 'content-type': 'application/xml' }), 1],
    ['generic 403', status(403, 'no'), 0],
    ['410', status(410), 0],
    ['500', status(500), 0],
    ['bad JSON', json('{'), 0],
    ['HTML with 200', status(200, '<html>', { 'content-type': 'text/html' }), 0],
    ['a file of another shape', json({ agents: [] }), 0],
  ])('%s on the well-known address', async (_what, page, rows) => {
    web.put(wellKnown('child.example'), page)
    web.put(adsTxt('child.example'), '# sellers\nMANAGERDOMAIN=ads-manager.example\n')
    web.put(wellKnown('ads-manager.example'), network(['child.example', 'unasked.example']))
    await directory.crawled('child.example')
    expect(await directory.rows(AGENT)).toEqual(
      rows ? { 'child.example': 'ads_txt_managerdomain ads-manager.example 1/1 authorized' } : {},
    )
  })

  it('asks for scope per agent and never credits properties without a domain', async () => {
    web.put(adsTxt('scoped.example'), redirect('https://elsewhere.example/ads.txt'))
    web.put('https://elsewhere.example/ads.txt', 'MANAGERDOMAIN=scope-manager.example')
    web.put(wellKnown('scope-manager.example'), {
      properties: [
        property({ publisher_domain: 'scoped.example', property_id: 'theirs' }),
        property({ property_id: 'unplaced' }),
      ],
      authorized_agents: [grant({ property_ids: ['theirs'] }), grant({ url: OTHER, property_ids: ['unplaced'] })],
    })
    await directory.crawled('scoped.example')
    expect(await directory.rows(AGENT)).toEqual({
      'scoped.example': 'ads_txt_managerdomain scope-manager.example 1/1 authorized',
    })
    expect(await directory.rows(OTHER)).toEqual({})
  })

  it('ignores cycles, second hops and noagents', async () => {
    web.put(adsTxt('cycle.example'), 'MANAGERDOMAIN=cycle.example')
    web.put(adsTxt('hop1.example'), 'MANAGERDOMAIN=hop2.example')
    web.put(adsTxt('hop2.example'), 'MANAGERDOMAIN=hop3.example')
    web.put(wellKnown('hop3.example'), network(['hop1.example', 'hop2.example', 'optout.example']))
    web.put(adsTxt('optout.example'), 'MANAGERDOMAIN=hop3.example # noagents')
    await directory.crawled('cycle.example', 'hop1.example', 'optout.example')
    expect(await directory.rows(AGENT)).toEqual({})
  })

  it('follows the pointer of the manager, and gives way once the manager is ingested in its own right', async () => {
    web.put(adsTxt('kid.example'), 'MANAGERDOMAIN=boss.example')
    web.put(wellKnown('boss.example'), { authoritative_location: 'https://files.boss.example/a.json' })
    web.put('https://files.boss.example/a.json', network(['kid.example']))
    await directory.crawled('kid.example')
    expect(await directory.rows(AGENT)).toEqual({ 'kid.example': 'ads_txt_managerdomain boss.example 1/1 authorized' })
    await directory.crawled('boss.example')
    const row = { 'kid.example': 'adagents_authoritative files.boss.example 1/1 authorized' }
    expect(await directory.rows(AGENT)).toEqual(row)
    // Neither crawl takes the row back from the other.
    await directory.refresh(['kid.example'])
    expect(await directory.rows(AGENT)).toEqual(row)
    await directory.refresh(['boss.example'])
    expect(await directory.rows(AGENT)).toEqual(row)
  })
})

describe('managed networks', () => {
  it('fans out from tags and ids, pins from the manager’s entry, and drops a domain that is taken out, without tombstone', async () => {
    const entries = [
      grant({
        authorization_type: 'property_tags',
        property_tags: ['net'],
        property_ids: undefined,
        signing_keys: [{ kid: 'k', kty: 'OKP' }],
      }),
    ]
    const file = (domains: string[]) => ({
      properties: domains.map((publisher_domain) => property({ publisher_domain, tags: ['net'] })),
      authorized_agents: entries,
    })
    web.put(wellKnown('mediavine-like.example'), file(['a.kids.example', 'b.kids.example', 'mediavine-like.example']))
    await directory.crawled('mediavine-like.example')
    expect(await directory.rows(AGENT)).toEqual({
      'a.kids.example': 'adagents_authoritative mediavine-like.example 1/1 authorized pinned',
      'b.kids.example': 'adagents_authoritative mediavine-like.example 1/1 authorized pinned',
      'mediavine-like.example': 'direct - 1/1 authorized pinned',
    })
    web.put(wellKnown('mediavine-like.example'), file(['b.kids.example']))
    await directory.refresh(['mediavine-like.example'])
    expect(Object.keys(await directory.rows(AGENT))).toEqual(['b.kids.example'])
  })

  it('a publisher’s own file that does not grant voids the manager’s claim, whoever was crawled last', async () => {
    web.put(wellKnown('claiming.example'), network(['denying.example', 'silent.example']))
    web.put(wellKnown('denying.example'), { properties: [property()], authorized_agents: [] })
    await directory.add('claiming.example')
    await directory.refresh(['claiming.example'])
    // Nobody has asked them yet.
    expect(await directory.rows(AGENT)).toEqual({})
    await directory.crawled('denying.example')
    expect(Object.keys(await directory.rows(AGENT))).toEqual(['silent.example'])
    await directory.refresh(['claiming.example'])
    expect(Object.keys(await directory.rows(AGENT))).toEqual(['silent.example'])
    // An orphan pointer is the publisher's own word too.
    web.put(wellKnown('denying.example'), { authoritative_location: 'https://void.example/none.json' })
    await directory.refresh(['denying.example'])
    expect(Object.keys(await directory.rows(AGENT))).toEqual(['silent.example'])
  })

  it('a manager’s claim counts once the publisher’s own address has answered that there is no file, and not while nobody reaches it', async () => {
    const named = ['away.example', 'asleep.example', 'page.example', 'gone.example']
    const claimed = async () => Object.keys(await directory.rows(AGENT))
    web.put(wellKnown('claiming.example'), network(named))
    web.put(wellKnown('away.example'), (request) => void request.socket.destroy())
    web.put(wellKnown('asleep.example'), status(503))
    web.put(wellKnown('page.example'), status(200, '<html>', { 'content-type': 'text/html' }))
    await directory.crawled('claiming.example')
    expect(await claimed()).toEqual(['gone.example'])
    const [hidden] = (await explain(directory.store.read, 'away.example', directory.now())).claims
    expect([hidden?.shown, hidden?.hidden_because]).toEqual([
      false,
      `the publisher's own address has not answered yet whether it has a file: ${wellKnown('claiming.example')} speaks for it only where it has none`,
    ])
    // Later they answer: two have none, one has a file that grants nothing.
    web.remove(wellKnown('away.example'))
    web.remove(wellKnown('page.example'))
    web.put(wellKnown('asleep.example'), ownFile({ authorized_agents: [] }))
    await directory.refresh(named)
    expect(await claimed()).toEqual(['away.example', 'gone.example', 'page.example'])
    // What has answered keeps its state while it is away for a day, and no longer.
    web.put(wellKnown('gone.example'), status(503))
    await directory.refresh(['gone.example'])
    expect(await claimed()).toContain('gone.example')
    await directory.pass(DAY)
    await directory.refresh(['gone.example'])
    expect(await claimed()).not.toContain('gone.example')
  })

  it('a row of the publisher’s own file wins over the manager’s, with its counts', async () => {
    web.put(wellKnown('claiming2.example'), network(['granting.example']))
    web.put(wellKnown('granting.example'), {
      properties: [property(), property({ property_id: 'b' })],
      authorized_agents: [grant()],
    })
    await directory.crawled('claiming2.example', 'granting.example')
    expect((await directory.rows(AGENT))['granting.example']).toBe('direct - 1/2 authorized')
  })

  it('a publisher that a stranger’s file names is asked in the same crawl, and its own file decides', async () => {
    web.put(wellKnown('stranger.example'), network(['named.example', 'plain.example']))
    web.put(wellKnown('named.example'), ownFile({ authorized_agents: [grant({ url: 'https://other.example/mcp' })] }))
    await directory.add('stranger.example')
    const { crawl } = await import('../../../src/features/directory/crawler.ts')
    await crawl(directory.deps, { concurrency: 2 })
    const { 'named.example': named, 'plain.example': plain } = await directory.rows(AGENT)
    expect([named, plain]).toEqual([undefined, 'adagents_authoritative stranger.example 1/1 authorized'])
  })

  it('where no inline property answers a selector, the publisher’s own file is asked at once (federated)', async () => {
    const selectors = [
      { publisher_domains: ['inline.mix.example', 'fed.mix.example', 'dead.mix.example'], selection_type: 'all' },
    ]
    const entry = grant({ authorization_type: 'publisher_properties', publisher_properties: selectors, property_ids: undefined })
    web.put(wellKnown('mix.example'), {
      properties: [property({ publisher_domain: 'inline.mix.example' })],
      authorized_agents: [entry],
    })
    web.put(wellKnown('fed.mix.example'), ownFile())
    web.forgetRequests()
    await directory.crawled('mix.example')
    const { crawl } = await import('../../../src/features/directory/crawler.ts')
    await crawl(directory.deps, { concurrency: 2 })
    expect(await directory.rows(AGENT)).toEqual({
      'fed.mix.example': 'direct - 1/1 authorized',
      'inline.mix.example': 'adagents_authoritative mix.example 1/1 authorized',
    })
    // A file of its own would decide instead of the manager's.
    expect(web.requests).toContain(wellKnown('inline.mix.example'))
    expect(web.requests).toContain(wellKnown('dead.mix.example'))
  })

  it('warnings name the domain and the index', async () => {
    web.put(wellKnown('faulty.example'), {
      properties: [property(), { name: 'bad' }],
      authorized_agents: [{ url: OTHER }, grant()],
    })
    await directory.crawled('faulty.example')
    expect(directory.warnings.map(({ details, message }) => [details.domain, details.path, message])).toEqual([
      ['faulty.example', 'properties[1]', 'has no property_type'],
      ['faulty.example', 'authorized_agents[0]', 'has no known authorization_type'],
    ])
    expect(await directory.rows(AGENT)).toEqual({ 'faulty.example': 'direct - 1/1 authorized' })
  })
})
