import { describe, expect, it } from 'vitest'
import { parseAdagents, parseAdagentsInSteps } from '../../src/domain/directory/adagents-file.ts'
import { fanOutClaims, ownClaims, ownSellingTimes } from '../../src/domain/directory/claim.ts'
import { MOST_BYTES, MOST_ENTRIES, MOST_GRANTS, MOST_PUBLISHERS } from '../../src/domain/directory/grant-bound.ts'
import { identifiersOf } from '../../src/domain/directory/identifiers.ts'
import { indexFile, unansweredDomains } from '../../src/domain/directory/resolve.ts'
import { sortedInSteps } from '../../src/domain/directory/sorted-in-steps.ts'
import { judgeAdagents } from '../../src/features/registry/validate-adagents.ts'
import { atOnce, type Steps } from '../../src/platform/concurrency/steps.ts'
import { growsTooFast } from '../support/growth.ts'

const ROUTE = { publisher: 'pub.example', method: 'direct', manager: null } as const
const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const property = (index: number, more: object = {}) => ({
  property_id: `p${index}`,
  property_type: 'website',
  name: 'A site',
  identifiers: [{ type: 'domain', value: `p${index}.example` }],
  tags: ['t'],
  ...more,
})
const agent = (index: number, scope: object) => ({ url: `https://a${index}.example/mcp`, authorized_for: 'ads', ...scope })
const tagged = { authorization_type: 'property_tags', property_tags: ['t'] }

function index(document: object) {
  const parsed = parseAdagents(document)
  if (!('file' in parsed) || parsed.file.kind !== 'inline') throw new Error('no file that names agents')
  return indexFile(parsed.file)
}

describe('what a file grants', () => {
  it('is one list for agents with the same selection, and no product of agents and properties', () => {
    const file = index({ properties: each(500, property), authorized_agents: each(900, (at) => agent(at, tagged)) })
    const claims = atOnce(ownClaims(file, ROUTE, 0))
    expect(claims).toHaveLength(900)
    expect(new Set(claims.map(({ propertyIds }) => propertyIds)).size).toBe(1)
    expect(claims[0]?.propertyIds).toHaveLength(500)
  })

  it('is bounded, before anything is worked out: for who checks the file and for who reads it', async () => {
    const many = Math.ceil(Math.sqrt(MOST_GRANTS)) + 1
    const document = { properties: each(many, property), authorized_agents: each(many, (at) => agent(at, tagged)) }
    const reason = `the file grants ${many * many} properties in all, summed over its ${many} entries of agents; at most ${MOST_GRANTS} are read: name agents once, or fewer properties`
    expect(parseAdagents(document)).toEqual({ reason, warnings: [] })
    expect(await judgeAdagents(document, () => [], { publisher: 'pub.example', now: 0 })).toMatchObject({
      valid: false,
      errors: [reason],
    })
    expect(parseAdagents({ ...document, authorized_agents: document.authorized_agents.slice(2) })).toHaveProperty('file')
    const selectors = [{ publisher_domains: ['one.example'], selection_type: 'all' }]
    const named = {
      properties: each(many, (at) => property(at, { publisher_domain: 'one.example' })),
      authorized_agents: each(many, (at) =>
        agent(at, { authorization_type: 'publisher_properties', publisher_properties: selectors }),
      ),
    }
    expect(parseAdagents(named)).toHaveProperty('reason')
    const plain = { agents: each(many, (at) => ({ url: `https://a${at}.example/mcp` })), properties: document.properties }
    expect(parseAdagents(plain)).toHaveProperty('reason')
  })

  it('is bounded by the bytes of what is stored of it: ids once for each agent, and pairs of an agent and a publisher', async () => {
    const reasonOf = (document: object) => {
      const parsed = parseAdagents(document)
      return 'reason' in parsed ? parsed.reason : undefined
    }
    const long = (count: number) => each(count, (at) => property(at, { property_id: `p${at}`.padEnd(255, 'x') }))
    const agents = each(400, (at) => agent(at, tagged))
    const document = { properties: long(400), authorized_agents: agents }
    const bytes = 400 * 400 * (255 + 3) + 400 * 200
    const reason = `the file grants 160000 properties in all, summed over its 400 entries of agents, whose ids take ${bytes} bytes with the 400 pairs of an agent and a publisher; at most ${MOST_BYTES} are read: name agents once, or fewer properties, or give them shorter ids`
    expect(reasonOf(document)).toBe(reason)
    expect(await judgeAdagents(document, () => [], { now: 0 })).toMatchObject({ valid: false, errors: [reason] })
    expect(reasonOf({ properties: long(150), authorized_agents: agents })).toBeUndefined()
    const ofMany = each(10_000, (at) => property(at, { publisher_domain: `d${at}.example` }))
    const nine = each(9, (at) => agent(at, tagged))
    expect(reasonOf({ properties: ofMany, authorized_agents: nine })).toContain('90000 pairs of an agent and a publisher')
    expect(reasonOf({ properties: ofMany, authorized_agents: nine.slice(2) })).toBeUndefined()
  })

  it('names a bounded number of agents, revoked publishers and publishers, in either form', async () => {
    const some = { properties: [property(0)], authorized_agents: [agent(0, tagged)] }
    const reasonOf = (document: object) => {
      const parsed = parseAdagents(document)
      return 'reason' in parsed ? parsed.reason : undefined
    }
    const tooMany = each(MOST_ENTRIES + 1, (at) => agent(at, tagged))
    const reason = `authorized_agents has ${MOST_ENTRIES + 1} entries; at most ${MOST_ENTRIES} are read: leave out agents that no longer sell, and give the scopes of one agent in few entries`
    expect(reasonOf({ ...some, authorized_agents: tooMany })).toBe(reason)
    expect(await judgeAdagents({ ...some, authorized_agents: tooMany }, () => [], { now: 0 })).toMatchObject({
      valid: false,
      errors: [reason],
    })
    expect(reasonOf({ ...some, authorized_agents: tooMany.slice(1) })).toBeUndefined()
    expect(reasonOf({ agents: tooMany })).toContain(`agents has ${MOST_ENTRIES + 1} entries`)
    const revoked_publisher_domains = each(MOST_ENTRIES + 1, (at) => ({
      publisher_domain: `d${at}.example`,
      revoked_at: '2026-01-01T00:00:00Z',
    }))
    expect(reasonOf({ ...some, revoked_publisher_domains })).toContain(
      `revoked_publisher_domains has ${MOST_ENTRIES + 1} entries`,
    )
    const properties = each(MOST_PUBLISHERS + 1, (at) => property(at, { publisher_domain: `d${at}.example` }))
    const ofMany = `the file carries properties of ${MOST_PUBLISHERS + 1} publishers; at most ${MOST_PUBLISHERS} are read`
    expect(reasonOf({ ...some, properties })).toContain(ofMany)
    const inline = agent(0, { authorization_type: 'inline_properties', properties })
    expect(reasonOf({ authorized_agents: [inline] })).toContain(ofMany)
    expect(reasonOf({ ...some, properties: properties.slice(1) })).toBeUndefined()
  })

  it('of a network: many properties, a few agents', () => {
    const file = index({
      properties: each(100_000, (at) => property(at, { publisher_domain: `d${at % 5_000}.example` })),
      authorized_agents: each(5, (at) => agent(at, tagged)),
    })
    const claims = atOnce(fanOutClaims(file, 'pub.example', 0))
    expect(claims).toHaveLength(25_000)
    expect(claims.reduce((sum, { propertyIds }) => sum + propertyIds.length, 0)).toBe(500_000)
  })
})

describe('is worked out in steps, none of which is long', () => {
  function stepsOf(steps: Steps<unknown>): number {
    for (let count = 0; ; count += 1) if (steps.next().done) return count
  }

  it.each([
    ['properties times agents', 5_000, 200, (at: number) => agent(at, tagged)],
    ['many properties', 60_000, 3, (at: number) => agent(at, tagged)],
    ['many agents', 200, 5_000, (at: number) => agent(at, { authorization_type: 'property_ids', property_ids: [`p${at}`] })],
  ])('%s', (_what, properties, agents, entry) => {
    const document = { properties: each(properties, property), authorized_agents: each(agents, entry) }
    const most = (properties + agents) / 64
    expect(stepsOf(parseAdagentsInSteps(document))).toBeGreaterThan(most)
    expect(stepsOf(ownClaims(index(document), ROUTE, 0))).toBeGreaterThan(agents)
  })

  it('a host with many properties that a selector names, and a property of many identifiers', () => {
    const publisher_properties = [{ publisher_domain: 'pub.example', selection_type: 'by_tag', property_tags: ['x'] }]
    const file = index({
      properties: each(60_000, (at) => property(at, { publisher_domain: 'pub.example' })),
      authorized_agents: [agent(0, { authorization_type: 'publisher_properties', publisher_properties })],
    })
    expect(stepsOf(unansweredDomains(file))).toBeGreaterThan(100)
    const identifiers = each(60_000, (at) => ({ type: 'domain', value: `d${at}.example` }))
    const { file: one } = index({ properties: [property(0, { identifiers })], authorized_agents: [agent(0, tagged)] })
    expect(stepsOf(identifiersOf(one))).toBeGreaterThan(100)
  })

  it('texts are sorted as at once', () => {
    const texts = each(30_000, (at) => `p${(at * 7_919) % 30_011} ${at % 3 === 0 ? 'é' : '\u{1f600}'}`)
    expect(atOnce(sortedInSteps(texts))).toEqual([...texts].sort())
    expect(atOnce(sortedInSteps([]))).toEqual([])
  })
})

describe('takes time in proportion to the file', () => {
  it('entries that select nothing', () => {
    const file = (count: number) =>
      index({
        properties: each(count, property),
        authorized_agents: each(count, (at) =>
          agent(at, { authorization_type: 'property_ids', property_ids: [`x${at}`, `y${at}`] }),
        ),
      })
    expect(growsTooFast(file, (read) => atOnce(ownClaims(read, ROUTE, 0)), 12_000)).toBe(false)
  })

  it('one property for each of many agents, and one domain', () => {
    const file = (count: number) =>
      index({
        properties: each(count, (at) => property(at, { publisher_domain: `d${at}.example` })),
        authorized_agents: each(count, (at) => agent(at, { authorization_type: 'property_ids', property_ids: [`p${at}`] })),
      })
    expect(growsTooFast(file, (read) => atOnce(fanOutClaims(read, 'pub.example', 0)), 12_000)).toBe(false)
  })

  it('one entry that brings along properties of many publishers', () => {
    const file = (count: number) => {
      const properties = each(count, (at) => property(at, { publisher_domain: `d${at}.example` }))
      return index({ authorized_agents: [agent(0, { authorization_type: 'inline_properties', properties })] })
    }
    expect(growsTooFast(file, (read) => atOnce(fanOutClaims(read, 'pub.example', 0)), 12_000)).toBe(false)
  })

  it('which agents may sell anything, and which selectors nothing answers', () => {
    const publisher_properties = (at: number) => [
      { publisher_domain: 'pub.example', selection_type: 'by_tag', property_tags: [`x${at}`] },
    ]
    const file = (count: number) =>
      index({
        properties: each(count, (at) => property(at, { publisher_domain: 'pub.example' })),
        authorized_agents: each(count, (at) =>
          agent(at, { authorization_type: 'publisher_properties', publisher_properties: publisher_properties(at) }),
        ),
      })
    expect(growsTooFast(file, (read) => [atOnce(ownSellingTimes(read, ROUTE)), atOnce(unansweredDomains(read))], 12_000)).toBe(
      false,
    )
  })
})
