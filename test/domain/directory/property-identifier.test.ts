import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canNameProperty,
  hostsAbove,
  type Identifier,
  IdentifierIndex,
  identifierSet,
} from '../../../src/domain/directory/property-identifier.ts'

const domain = (value: string): Identifier => ({ type: 'domain', value })

describe('a set of identifiers', () => {
  it.each([
    ['example.com', 'example.com', true],
    ['example.com', 'EXAMPLE.com.', true],
    ['example.com', 'www.example.com', true],
    ['example.com', 'm.example.com', true],
    ['example.com', 'news.example.com', false],
    ['example.com', 'notexample.com', false],
    ['news.example.com', 'example.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'badexample.com', false],
  ])('%s covers %s: %s', (entry, host, covered) => {
    expect(identifierSet([domain(entry)]).has(domain(host))).toBe(covered)
  })

  it('takes a subdomain at its word and keeps other types apart', () => {
    const set = identifierSet([
      { type: 'subdomain', value: 'news.example.com' },
      { type: 'ios_bundle', value: 'com.A' },
    ])
    expect(set.has(domain('news.example.com'))).toBe(true)
    expect(set.has(domain('www.news.example.com'))).toBe(false)
    expect(set.has({ type: 'ios_bundle', value: 'com.A' })).toBe(true)
    expect(set.has({ type: 'ios_bundle', value: 'com.a' })).toBe(false)
    expect(set.has({ type: 'android_package', value: 'com.A' })).toBe(false)
  })

  it('agrees with the rules read one entry at a time', () => {
    const label = fc.constantFrom('a', 'b', 'www', 'm', 'x')
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'example'].join('.'))
    const entry = fc.tuple(fc.boolean(), host).map(([wild, name]) => (wild ? `*.${name}` : name))
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), host, (entries, name) => {
        const naive = entries.some((each) =>
          each.startsWith('*.') ? name.endsWith(each.slice(1)) : [each, `www.${each}`, `m.${each}`].includes(name),
        )
        expect(identifierSet(entries.map(domain)).has(domain(name))).toBe(naive)
      }),
    )
  })

  it('gives the entry of the nearest wildcard', () => {
    const index = new IdentifierIndex(['*.example', '*.b.c.example', '*.c.example'].map((value) => [domain(value), value]))
    expect(['a.b.c.example', 'b.c.example', 'c.example', 'example'].map((host) => index.find(domain(host)))).toEqual([
      '*.b.c.example',
      '*.c.example',
      '*.example',
      undefined,
    ])
  })
})

describe('what can name a property', () => {
  it.each([
    [domain('example.com'), true],
    [domain('*.example.com'), true],
    [domain('localhost'), false],
    [domain('exa mple.com'), false],
    [domain(''), false],
    [{ type: 'roku_store_id', value: ' ' } as Identifier, false],
    [{ type: 'openooh_venue_type', value: 'transit' } as Identifier, false],
    [{ type: 'roku_store_id', value: '12' } as Identifier, true],
  ])('%o: %s', (identifier, expected) => {
    expect(canNameProperty(identifier)).toBe(expected)
  })

  it('the domains above a host stop before the last label', () => {
    expect(hostsAbove(domain('a.b.example'))).toEqual(['a.b.example', 'b.example'])
    expect(hostsAbove({ type: 'ios_bundle', value: 'com.a' })).toEqual([])
  })
})
