import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identifierKey } from '../../../src/domain/directory/property-identifier.ts'
import type { KnownProperty } from '../../../src/domain/product/known-property.ts'
import { type PropertyListDefinition, resolvePropertyList } from '../../../src/domain/property-list/resolve.ts'
import { deliveryJudge } from '../../../src/domain/property-list/validate-delivery.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { counted, type Reads } from '../../support/counted.ts'

const known = (propertyId: string, facts: Partial<KnownProperty> = {}): KnownProperty => ({
  publisherDomain: 'pub.example',
  propertyId,
  type: 'website',
  identifiers: [{ type: 'domain', value: `${propertyId}.pub.example` }],
  tags: [],
  channels: ['display'],
  countries: ['DE', 'FR'],
  ...facts,
})
const own = [known('one', { tags: ['news'] }), known('two', { channels: ['olv'], countries: 'everywhere' })]
const knowledge = {
  own,
  indexed: new Map([['far.example', [known('far', { publisherDomain: 'far.example', countries: undefined })]]]),
}
const resolvedNow = (...args: Parameters<typeof resolvePropertyList>) => atOnce(resolvePropertyList(...args))
const valuesOf = (list: PropertyListDefinition) => resolvedNow(list, knowledge).identifiers.map(({ value }) => value)

describe('resolvePropertyList', () => {
  it.each([
    [{ countries_all: ['DE', 'FR'] }, ['one', 'two']],
    [{ countries_all: ['US'] }, ['two']],
    [{ channels_any: ['display', 'ctv'] }, ['one']],
    [{ property_types: ['ctv_app'] }, []],
    [{ exclude_identifiers: [{ type: 'domain', value: '*.pub.example' }] }, []],
  ] as const)('filters the inventory by %o', (filters, expected) => {
    expect(valuesOf({ filters: filters as never })).toEqual(expected.map((id) => `${id}.pub.example`))
  })

  it.each([
    ['filters', 'property_types', [...Array(200).fill('ctv_app'), 'website']],
    ['filters', 'channels_any', [...Array(200).fill('ctv'), 'display']],
    ['filters', 'countries_all', Array(200).fill('DE')],
    ['publisher_tags', 'tags', [...Array.from({ length: 200 }, (_, index) => `t${index}`), 'news']],
  ])('reads each item of %s %s a fixed number of times, however many properties there are', (place, member, items) => {
    const reads: Reads = { count: 0 }
    const many = Array.from({ length: 200 }, (_, index) => known(`p${index}`, { tags: ['news'] }))
    const named = { [member]: counted(items, reads) }
    const source = { selection_type: 'publisher_tags', publisher_domain: 'pub.example', ...named }
    const list = place === 'filters' ? { filters: named } : { base_properties: [source as never] }
    expect(resolvedNow(list, { own: many, indexed: new Map() }).identifiers).toHaveLength(200)
    expect(reads.count).toBeLessThanOrEqual(3 * 201)
  })

  it('reads the indexed file of another publisher, and drops what a filter cannot judge', () => {
    const base_properties: PropertyListDefinition['base_properties'] = [
      { selection_type: 'publisher_ids', publisher_domain: 'far.example', property_ids: ['far'] },
    ]
    expect(valuesOf({ base_properties })).toEqual(['far.pub.example'])
    const { identifiers, notCovered } = resolvedNow({ base_properties, filters: { countries_all: ['DE'] } }, knowledge)
    expect([identifiers, notCovered.map(({ value }) => value)]).toEqual([[], ['far.pub.example']])
  })

  it('takes the surface from the type of an unknown identifier, where the type has one', () => {
    const base_properties: PropertyListDefinition['base_properties'] = [
      {
        selection_type: 'identifiers',
        identifiers: [
          { type: 'ios_bundle', value: 'a' },
          { type: 'domain', value: 'b.example' },
          { type: 'bundle_id', value: 'c' },
        ],
      },
    ]
    const resolved = resolvedNow({ base_properties, filters: { property_types: ['mobile_app'] } }, knowledge)
    expect(resolved.identifiers.map(({ value }) => value)).toEqual(['a'])
    expect(resolved.notCovered.map(({ value }) => value)).toEqual(['c'])
  })

  it('every identifier of the base ends in exactly one place, and delivery to it is judged by that place', () => {
    const identifier = fc.record({
      type: fc.constantFrom('domain', 'ios_bundle', 'bundle_id', 'roku_store_id'),
      value: fc.constantFrom('one.pub.example', 'two.pub.example', 'a.example', 'b.example', 'c.example'),
    })
    const filters = fc.record(
      {
        channels_any: fc.constant<string[]>(['display']),
        property_types: fc.constant<string[]>(['website', 'ctv_app']),
        countries_all: fc.constant<string[]>(['US']),
        exclude_identifiers: fc.array(identifier, { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(identifier, { minLength: 1, maxLength: 8 }), filters, (identifiers, chosen) => {
        const list = {
          base_properties: [{ selection_type: 'identifiers', identifiers }],
          filters: chosen,
        } as PropertyListDefinition
        const resolved = resolvedNow(list, knowledge)
        const groups = [resolved.identifiers, resolved.excluded, resolved.notCovered].map((group) => group.map(identifierKey))
        expect(new Set(groups.flat()).size).toBe(groups.flat().length)
        const results = identifiers.map((each) => ({ identifier: each as never, impressions: 1 })).map(deliveryJudge(resolved))
        for (const { record, status } of results) {
          const key = identifierKey(record.identifier)
          const expected = groups[0]?.includes(key) ? 'compliant' : groups[2]?.includes(key) ? 'not_covered' : 'non_compliant'
          expect(status).toBe(expected)
        }
      }),
    )
  })
})
