import { describe, expect, it } from 'vitest'
import { judgeAdagents } from '../../src/features/registry/validate-adagents.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { checkInSteps } from '../../src/protocol/check-in-steps.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const property = (index: number) => ({
  property_id: `p${index}`,
  property_type: 'website',
  name: 'A site',
  identifiers: [{ type: 'domain', value: `p${index}.example` }],
})
const base = (index: number) => ({ url: `https://a${index}.example/mcp`, authorized_for: 'ads' })
const byId = (index: number) => ({ ...base(index), authorization_type: 'property_ids', property_ids: [`p${index}`] })
const inline = (properties: readonly object[]) => ({ ...base(0), authorization_type: 'inline_properties', properties })
const check = new Schemas().validator('adagents.json')

/** Numbers of values in each of the documents that are judged. */
function sizesOf(document: unknown) {
  const sizes: number[] = []
  const counted = (value: unknown) => {
    sizes.push(JSON.stringify(value).split(/[[{,:]/).length)
    return check(value)
  }
  const issues = atOnce(checkInSteps(counted, document, 50))
  return { sizes, issues }
}

describe('a large document is judged in parts', () => {
  it.each([
    ['many agents', { authorized_agents: each(20_000, byId), properties: each(3, property) }],
    ['many properties', { authorized_agents: [byId(0)], properties: each(20_000, property) }],
    ['both', { authorized_agents: each(10_000, byId), properties: each(10_000, property) }],
    ['properties of one agent', { authorized_agents: [byId(1), inline(each(20_000, property)), byId(2)] }],
    ['ids of one agent', { authorized_agents: [{ ...byId(0), property_ids: each(100_000, String).map((id) => `p${id}`) }] }],
  ])('none of which is large: %s', (_what, document) => {
    const { sizes, issues } = sizesOf(document)
    expect(issues).toEqual([])
    expect(sizes.length).toBeGreaterThan(10)
    expect(Math.max(...sizes)).toBeLessThan(40_000)
  })

  it('with the findings of the whole, at their places in it', () => {
    const agents: object[] = each(20_000, byId)
    agents[17_654] = { ...byId(0), url: 5 }
    const properties: object[] = each(20_000, property)
    properties[12_345] = { ...property(0), property_type: 'wrong' }
    const pointersOf = (document: unknown) => [...new Set(sizesOf(document).issues.map(({ pointer }) => pointer))]
    expect(pointersOf({ authorized_agents: agents, properties: [property(0)] })).toContain('/authorized_agents/17654/url')
    expect(pointersOf({ authorized_agents: [byId(0)], properties })).toEqual(['/properties/12345/property_type'])
    const nested = { authorized_agents: [byId(1), byId(2), inline(properties)] }
    expect(pointersOf(nested)).toContain('/authorized_agents/2/properties/12345/property_type')
  })

  it('and what is small as it is, and a required member of a large document is missed', () => {
    const small = { authorized_agents: [{ ...byId(0), url: 5 }, byId(1)] }
    expect(sizesOf(small).issues).toEqual(check(small))
    expect(sizesOf({ properties: each(20_000, property) }).issues).toEqual(
      expect.arrayContaining([expect.objectContaining({ pointer: '/authorized_agents', keyword: 'required' })]),
    )
  })

  it('and the names of an object with many members are listed once', () => {
    let listed = 0
    const many = new Proxy(Object.fromEntries(each(20_000, (index) => [`n${index}`, 1])), {
      ownKeys(target) {
        listed += 1
        return Reflect.ownKeys(target)
      },
    })
    atOnce(checkInSteps(() => [], { authorized_agents: [many] }, 50))
    expect(listed).toBe(1)
  })

  it('until there are enough findings', () => {
    const { sizes, issues } = sizesOf({ authorized_agents: [], properties: Array(60_000).fill(1) })
    expect(issues.length).toBeGreaterThanOrEqual(50)
    expect(sizes.length).toBeLessThan(5)
  })
})

it('the check of an adagents.json judges it so', async () => {
  const sizes: number[] = []
  const counted = (value: unknown) => {
    sizes.push(JSON.stringify(value).length)
    return check(value)
  }
  const document = { authorized_agents: [byId(0)], properties: each(20_000, property) }
  expect(await judgeAdagents(document, counted, { now: 0 })).toMatchObject({ valid: true, properties: 20_000 })
  expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(document).length / 10)
})
