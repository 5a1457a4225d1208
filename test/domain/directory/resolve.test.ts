import { describe, expect, it } from 'vitest'
import { parseAdagents } from '../../../src/domain/directory/adagents-file.ts'
import { indexFile, nextWindowEdge, unansweredDomains } from '../../../src/domain/directory/resolve.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { AGENT, direct, entry, fanOut, inline, NOW, property, throughAdsTxt } from './files.ts'

const home = property({ property_id: 'home', tags: ['news'] })
const sport = property({ property_id: 'sport', tags: ['sport'] })

describe('authorization types, in a publisher’s own file', () => {
  it.each([
    ['property_ids', { property_ids: ['home'] }, ['home']],
    ['property_tags', { property_tags: ['sport', 'x'] }, ['sport']],
    ['inline_properties', { properties: [property({ property_id: 'own' })] }, ['own']],
    [
      'publisher_properties',
      { publisher_properties: [{ publisher_domain: 'pub.example', selection_type: 'all' }] },
      ['home', 'sport'],
    ],
    [
      'publisher_properties',
      { publisher_properties: [{ publisher_domains: ['PUB.example.'], selection_type: 'by_tag', property_tags: ['news'] }] },
      ['home'],
    ],
    [
      'publisher_properties',
      { publisher_properties: [{ publisher_domain: 'https://pub.example/', selection_type: 'by_id', property_ids: ['sport'] }] },
      ['sport'],
    ],
  ])('%s %j gives %j', (authorization_type, scope, ids) => {
    const total = authorization_type === 'inline_properties' ? 3 : 2
    expect(direct({ properties: [home, sport], authorized_agents: [entry({ authorization_type, ...scope })] })).toEqual({
      [AGENT]: [ids, total, false],
    })
  })

  it.each([
    ['signals', { authorization_type: 'signal_ids', signal_ids: ['s'] }],
    ['signal tags', { authorization_type: 'signal_tags', signal_tags: ['s'] }],
    ['an unknown type', { authorization_type: 'all' }],
    ['no type', { properties: [home] }],
    ['no match', { authorization_type: 'property_ids', property_ids: ['nothing'] }],
    ['an empty scope', { authorization_type: 'property_ids', property_ids: [] }],
    ['the wrong companion field', { authorization_type: 'inline_properties', inline_properties: [home] }],
    [
      'by_id over several domains',
      {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domains: ['pub.example'], selection_type: 'by_id', property_ids: ['home'] }],
      },
    ],
    [
      'both domain fields',
      {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domain: 'pub.example', publisher_domains: ['pub.example'], selection_type: 'all' }],
      },
    ],
    ['neither domain field', { authorization_type: 'publisher_properties', publisher_properties: [{ selection_type: 'all' }] }],
  ])('%s resolves to nothing: no row without a property', (_what, scope) => {
    expect(direct({ properties: [home, sport], authorized_agents: [entry(scope)] })).toEqual({})
  })

  it('unites several entries of one agent instead of taking the first or failing', () => {
    const file = {
      properties: [home, sport],
      authorized_agents: [
        entry({ authorization_type: 'property_ids', property_ids: ['home'], countries: ['DE'] }),
        entry({
          url: 'HTTPS://AGENT.example:443/',
          authorization_type: 'property_ids',
          property_ids: ['sport'],
          signing_keys: [{ kid: 'a', kty: 'OKP' }],
        }),
      ],
    }
    expect(direct(file)).toEqual({ [AGENT]: [['home', 'sport'], 2, true] })
  })

  it('skips one bad entry, property or selector alone, with a warning that says where', () => {
    const document = {
      properties: [home, { name: 'no identifiers', property_type: 'website' }],
      authorized_agents: [
        { url: 'https://other.example', authorized_for: 'x' },
        entry({
          authorization_type: 'publisher_properties',
          publisher_properties: [{ selection_type: 'all' }, { publisher_domain: 'pub.example', selection_type: 'all' }],
        }),
      ],
    }
    expect(direct(document)).toEqual({ [AGENT]: [['home'], 1, false] })
    expect(parseAdagents(document).warnings.map((warning) => warning.path)).toEqual([
      'properties[1]',
      'authorized_agents[0]',
      'authorized_agents[1].publisher_properties[0]',
    ])
  })

  it('counts properties without an id under a stable id of their own', () => {
    const bare = property({ identifiers: [{ type: 'domain', value: 'pub-one.example' }] })
    const file = {
      properties: [bare, bare, home],
      authorized_agents: [
        entry({ authorization_type: 'property_tags', property_tags: ['news'] }),
        entry({ authorization_type: 'inline_properties', properties: [bare] }),
      ],
    }
    expect(direct(file)).toEqual({ [AGENT]: [['auto_website_domain_pub_2done_2eexample', 'home'], 2, false] })
  })

  it('honours effective windows', () => {
    const file = {
      properties: [home],
      authorized_agents: [
        entry({
          authorization_type: 'property_ids',
          property_ids: ['home'],
          effective_from: '2026-03-01T00:00:00Z',
          effective_until: '2026-04-01T00:00:00Z',
        }),
      ],
    }
    expect(direct(file, 'pub.example', NOW)).not.toEqual({})
    expect(direct(file, 'pub.example', NOW - 1)).toEqual({})
    expect(direct(file, 'pub.example', Date.parse('2026-04-01T00:00:00Z'))).toEqual({})
    expect(nextWindowEdge(inline(file), NOW)).toBe(Date.parse('2026-04-01T00:00:00Z'))
    expect(nextWindowEdge(inline(file), Date.parse('2026-04-01T00:00:00Z'))).toBeUndefined()
    const unreadable = entry({ authorization_type: 'property_ids', property_ids: ['home'], effective_until: 'soon' })
    expect(direct({ properties: [home], authorized_agents: [unreadable] })).toEqual({})
  })

  it('counts the whole list as total, not just what somebody may sell', () => {
    const third = property({ property_id: 'third' })
    const file = {
      properties: [home, sport, third],
      authorized_agents: [entry({ authorization_type: 'property_ids', property_ids: ['home'] })],
    }
    expect(direct(file)).toEqual({ [AGENT]: [['home'], 3, false] })
  })

  it('takes empty authorized_agents as nobody, not as an error', () => {
    expect(direct({ properties: [home], authorized_agents: [] })).toEqual({})
    expect(direct({ authorized_agents: [] })).toEqual({})
  })
})

describe('a manager’s file', () => {
  const of = (publisher_domain: string, fields: object = {}) =>
    property({ publisher_domain, property_id: 'home', tags: ['managed'], ...fields })

  it('fans out from every authorization type, per publisher, and never to its own host', () => {
    const properties = [
      of('a.example'),
      of('b.example'),
      of('manager.example'),
      property({ property_id: 'unplaced', tags: ['managed'] }),
    ]
    const rows = { 'a.example': [['home'], 1], 'b.example': [['home'], 1] }
    expect(
      fanOut({ properties, authorized_agents: [entry({ authorization_type: 'property_tags', property_tags: ['managed'] })] }),
    ).toEqual(rows)
    expect(
      fanOut({ properties, authorized_agents: [entry({ authorization_type: 'property_ids', property_ids: ['home'] })] }),
    ).toEqual(rows)
    const selectors = [
      { publisher_domains: ['a.example', 'B.example', 'manager.example'], selection_type: 'by_tag', property_tags: ['managed'] },
    ]
    expect(
      fanOut({
        properties,
        authorized_agents: [entry({ authorization_type: 'publisher_properties', publisher_properties: selectors })],
      }),
    ).toEqual(rows)
    expect(
      fanOut({
        properties: [of('c.example')],
        authorized_agents: [entry({ authorization_type: 'inline_properties', properties: [of('a.example')] })],
      }),
    ).toEqual({ 'a.example': [['home'], 1] })
  })

  it('keeps the same id of two publishers apart', () => {
    const file = {
      properties: [of('a.example'), of('b.example')],
      authorized_agents: [entry({ authorization_type: 'property_ids', property_ids: ['home'] })],
    }
    expect(Object.keys(fanOut(file))).toEqual(['a.example', 'b.example'])
  })

  it('gives no row for a domain that a selector names and no inline property carries', () => {
    const selectors = [{ publisher_domains: ['a.example', 'lost.example'], selection_type: 'all' }]
    const file = {
      properties: [of('a.example')],
      authorized_agents: [entry({ authorization_type: 'publisher_properties', publisher_properties: selectors })],
    }
    expect(fanOut(file)).toEqual({ 'a.example': [['home'], 1] })
    expect([...atOnce(unansweredDomains(indexFile(inline(file))))]).toEqual(['lost.example'])
  })

  it('drops revoked publishers for ids, tags, selectors and inline properties alike', () => {
    const revoked_publisher_domains = [{ publisher_domain: 'HTTPS://A.example./', revoked_at: '2026-01-01T00:00:00Z' }]
    const properties = [of('a.example'), of('b.example')]
    for (const scope of [
      { authorization_type: 'property_ids', property_ids: ['home'] },
      { authorization_type: 'property_tags', property_tags: ['managed'] },
      { authorization_type: 'inline_properties', properties },
      {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domains: ['a.example', 'b.example'], selection_type: 'all' }],
      },
    ]) {
      expect(Object.keys(fanOut({ properties, revoked_publisher_domains, authorized_agents: [entry(scope)] }))).toEqual([
        'b.example',
      ])
    }
  })

  it.each([
    ['a bare string', 'a.example'],
    ['no revoked_at', { publisher_domain: 'a.example' }],
    ['an unreadable revoked_at', { publisher_domain: 'a.example', revoked_at: 'yesterday' }],
    ['another domain', { publisher_domain: 'x.a.example', revoked_at: '2026-01-01T00:00:00Z' }],
  ])('ignores a revocation entry that is %s', (_what, listed) => {
    const file = {
      properties: [of('a.example')],
      revoked_publisher_domains: [listed],
      authorized_agents: [entry({ authorization_type: 'property_ids', property_ids: ['home'] })],
    }
    expect(Object.keys(fanOut(file))).toEqual(['a.example'])
  })

  it('resolves 6,800 domains of one selector', () => {
    const domains = Array.from({ length: 6_800 }, (_, index) => `site${index}.example`)
    const file = inline({
      properties: domains.map((domain) => of(domain)),
      authorized_agents: [
        entry({
          authorization_type: 'publisher_properties',
          publisher_properties: [{ publisher_domains: domains, selection_type: 'by_tag', property_tags: ['managed'] }],
        }),
      ],
    })
    expect(indexFile(file).listed.explicit.size).toBe(6_800)
    expect(atOnce(unansweredDomains(indexFile(file))).size).toBe(0)
  })
})

describe('a file reached through ads.txt', () => {
  const ours = property({ property_id: 'ours', publisher_domain: 'Pub.Example.', tags: ['t'] })
  const unplaced = property({ property_id: 'unplaced', tags: ['t'] })

  it('asks each agent for scope of its own over the publisher', () => {
    const file = {
      properties: [ours, unplaced],
      authorized_agents: [
        entry({ authorization_type: 'property_tags', property_tags: ['t'] }),
        entry({ url: 'https://without-scope.example', authorization_type: 'property_ids', property_ids: ['unplaced'] }),
      ],
    }
    expect(throughAdsTxt(file)).toEqual({ [AGENT]: ['ours'] })
  })

  it('never takes a property without publisher_domain for the publisher’s', () => {
    expect(
      throughAdsTxt({
        properties: [unplaced],
        authorized_agents: [entry({ authorization_type: 'inline_properties', properties: [unplaced] })],
      }),
    ).toEqual({})
  })

  it('fails closed when the scope is over somebody else', () => {
    expect(
      throughAdsTxt(
        { properties: [ours], authorized_agents: [entry({ authorization_type: 'property_tags', property_tags: ['t'] })] },
        'other.example',
      ),
    ).toEqual({})
  })
})
