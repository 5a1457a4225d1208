import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchAgentAuthorizations, verifyAgentAuthorization } from '../../../src/features/directory/client.ts'
import { AUTHORITATIVE_POLICY, WELL_KNOWN_POLICY } from '../../../src/platform/net/fetch-policy.ts'
import { AGENT, grant, network, property } from '../../support/adagents-files.ts'
import { DAY, openDirectory, type TestDirectory } from '../../support/directory.ts'
import { adsTxt, type FakeWeb, startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'

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

// Errors known from other implementations of this directory and its clients; those of the route are in test/transports/http.
describe('what other implementations get wrong', () => {
  it('an agent that only claims a publisher gets no row: only publishers’ and managers’ files make rows', async () => {
    web.put(wellKnown('agent.example'), { agents: [{ url: AGENT, publishers: ['claimed.example'] }], version: '1' })
    web.put(wellKnown('claimed.example'), status(404))
    await directory.crawled('agent.example', 'claimed.example')
    expect(await directory.rows(AGENT)).toEqual({})
  })

  it('an agent listed for signals, without a match or outside its window is no authorized row with 0 properties', async () => {
    const entries = [
      grant({ authorization_type: 'signal_ids', signal_ids: ['s'] }),
      grant({ property_ids: ['nothing'] }),
      grant({ effective_until: '2020-01-01T00:00:00Z' }),
    ]
    web.put(wellKnown('zero.example'), { properties: [property()], authorized_agents: entries })
    await directory.crawled('zero.example')
    expect(await directory.rows(AGENT)).toEqual({})
  })

  it('every agent of a pointed-to file gets no edge to the pointing publisher, only those with scope over it', async () => {
    web.put(wellKnown('pointing.example'), { authoritative_location: 'https://m.example/a.json' })
    web.put('https://m.example/a.json', {
      ...network(['pointing.example']),
      authorized_agents: [grant(), grant({ url: 'https://unscoped.example', property_ids: ['other'] })],
    })
    await directory.crawled('pointing.example')
    expect(Object.keys(await directory.rows(AGENT))).toEqual(['pointing.example'])
    expect(await directory.rows('https://unscoped.example')).toEqual({})
  })

  it('the time of a row from a manager’s file is when that file was verified', async () => {
    web.put(wellKnown('m.example'), network(['child.example']))
    await directory.crawled('m.example')
    await directory.pass(DAY)
    await directory.refresh(['m.example'])
    const rows = await directory.store.read
      .selectFrom('directory_claims as c')
      .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
      .select(['c.publisher_domain', 'd.verified_at'])
      .execute()
    expect(rows).toEqual([{ publisher_domain: 'child.example', verified_at: directory.now().toISOString() }])
  })

  it('a revocation names its domain in any spelling, and by one rule for files and rows', async () => {
    web.put(wellKnown('m.example'), network(['Spelled.example.', 'unaffected.example']))
    await directory.crawled('m.example')
    web.put(
      wellKnown('m.example'),
      network(['spelled.example', 'unaffected.example'], {
        revoked_publisher_domains: [
          { publisher_domain: 'https://SPELLED.example/', revoked_at: '2026-01-01T00:00:00Z' },
          'unaffected.example',
          { publisher_domain: 'unaffected.example' },
        ],
      }),
    )
    await directory.refresh(['m.example'])
    const rows = await directory.rows(AGENT)
    expect(rows['spelled.example']).toBe('adagents_authoritative m.example 0/1 revoked')
    expect(rows['unaffected.example']).toBe('adagents_authoritative m.example 1/1 authorized')
  })

  it('tombstones end, and the agent stays known for good', async () => {
    web.put(wellKnown('p.example'), network(['p.example']))
    await directory.crawled('p.example')
    web.remove(wellKnown('p.example'))
    await directory.refresh(['p.example'])
    expect(await directory.rows(AGENT)).toEqual({})
    const agents = await directory.store.read.selectFrom('directory_agents').select('agent_url').execute()
    expect(agents).toEqual([{ agent_url: AGENT }])
  })

  it('identifiers of a foreign domain are not checked, but the foreign publisher’s own file voids the claim', async () => {
    web.put(wellKnown('spoofer.example'), {
      properties: [property({ publisher_domain: 'victim.example', identifiers: [{ type: 'domain', value: 'victim.example' }] })],
      authorized_agents: [grant()],
    })
    await directory.crawled('spoofer.example')
    expect((await directory.rows(AGENT))['victim.example']).toMatch(/^adagents_authoritative spoofer/)
    web.put(wellKnown('victim.example'), { authorized_agents: [] })
    await directory.crawled('victim.example')
    expect(await directory.rows(AGENT)).toEqual({})
  })

  it('caps are 5 MB for well-known files and 20 MB for authoritative ones, and the content type counts', () => {
    expect([WELL_KNOWN_POLICY.maxBytes, AUTHORITATIVE_POLICY.maxBytes]).toEqual([5_000_000, 20_000_000])
    expect(WELL_KNOWN_POLICY.contentTypes).toEqual(['application/json'])
  })

  it('a file above 5 MB is refused on the well-known address and read behind a pointer', async () => {
    const large = network(['large.example'], { contact: { name: 'x'.repeat(5_000_000) } })
    web.put(wellKnown('toolarge.example'), large)
    web.put(wellKnown('large.example'), { authoritative_location: 'https://files.large.example/a.json' })
    web.put('https://files.large.example/a.json', large)
    await directory.crawled('toolarge.example', 'large.example')
    expect(await directory.rows(AGENT)).toEqual({ 'large.example': 'authoritative_location files.large.example 1/1 authorized' })
  })

  it('clients: noagents is honoured, pointers end after one hop, the S3 403 opens ads.txt', async () => {
    web.put(adsTxt('optout.example'), 'MANAGERDOMAIN=boss.example #noagents')
    web.put(wellKnown('boss.example'), network(['optout.example', 's3.example']))
    web.put(wellKnown('s3.example'), status(403, '<Error><Code>AccessDenied</Code></Error>'))
    web.put(adsTxt('s3.example'), 'managerdomain = boss.example')
    web.put(wellKnown('chain.example'), { authoritative_location: 'https://c1.example/a.json' })
    web.put('https://c1.example/a.json', { authoritative_location: 'https://c2.example/a.json' })
    web.put('https://c2.example/a.json', network(['chain.example']))
    const answers = await fetchAgentAuthorizations(AGENT, ['optout.example', 's3.example', 'chain.example'], {
      fetch: web.fetch(),
    })
    expect([...answers.values()].map((answer) => answer.authorized)).toEqual([false, true, false])
  })

  it('clients: being listed is not enough, an id-less match does not throw, an empty list is an answer', () => {
    expect(verifyAgentAuthorization({ authorized_agents: [grant()], properties: [] }, AGENT).authorized).toBe(false)
    expect(verifyAgentAuthorization({ authorized_agents: [] }, AGENT)).toMatchObject({ reason: 'agent_not_listed' })
    const idless = property({ property_id: undefined, publisher_domain: 'p.example' })
    const entry = grant({
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domain: 'p.example', selection_type: 'all' }],
    })
    expect(verifyAgentAuthorization({ properties: [idless], authorized_agents: [entry] }, AGENT)).toMatchObject({
      authorized: true,
      publishers: [{ propertyIds: ['auto_website_domain_x_2eexample'] }],
    })
  })

  it('clients: scheme and query of the agent URL count, the default port and case of the host do not', () => {
    const file = { properties: [property()], authorized_agents: [grant({ url: 'https://Agent.example:443/mcp?tenant=1' })] }
    expect(verifyAgentAuthorization(file, 'https://agent.example/mcp/?tenant=1').authorized).toBe(true)
    expect(verifyAgentAuthorization(file, 'https://agent.example/mcp').authorized).toBe(false)
    expect(verifyAgentAuthorization(file, 'http://agent.example/mcp?tenant=1').authorized).toBe(false)
  })

  it('clients: inline properties obey revocation', () => {
    const file = {
      authorized_agents: [
        grant({ authorization_type: 'inline_properties', properties: [property({ publisher_domain: 'gone.example' })] }),
      ],
      revoked_publisher_domains: [{ publisher_domain: 'gone.example', revoked_at: '2026-01-01T00:00:00Z' }],
    }
    expect(verifyAgentAuthorization(file, AGENT).authorized).toBe(false)
  })
})
