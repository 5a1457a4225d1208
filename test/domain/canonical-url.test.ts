import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAuthority, canonicalUrl, MalformedUrl } from '../../src/domain/canonical-url.ts'

const canonical = (url: string) => canonicalUrl(url).targetUri

describe('canonicalUrl', () => {
  it.each([
    ['https://seller.example.com./p', 'https://seller.example.com/p'],
    ['https://a.example:/p', 'https://a.example/p'],
    ['https://a.example:0443/p', 'https://a.example/p'],
    ['http://a.example:443/p', 'http://a.example:443/p'],
    ['https://a.example', 'https://a.example/'],
    ['https://a.example/a/..', 'https://a.example/'],
    ['https://a.example/a/b/.', 'https://a.example/a/b/'],
    ['https://a.example/../../b', 'https://a.example/b'],
    ['https://a.example/a/%2e%2E/b', 'https://a.example/b'],
    ['https://a.example/p?x=%7e%2f#f?y', 'https://a.example/p?x=%7e%2f'],
    ['https://a.example?', 'https://a.example/?'],
    ['https://faß.example/', 'https://xn--fa-hia.example/'],
  ])('%s becomes %s', (url, expected) => expect(canonical(url)).toBe(expected))

  it.each([
    'https://a.example../p',
    'https://a..example/p',
    'https://.example/p',
    'https://a.example:65536/p',
    'https://a.example:8x/p',
    'https://[::1]x/p',
    'https://[v1.a]/p',
    'https://a%2eexample/p',
    'https://a.example/%zz',
    'https://a.example/%4',
    'https://a.example/é',
    'https://a.example/p?é',
    'https://a.example/a b',
    'https://a.example\\@b.example/',
    'https:/a.example/',
    '//a.example/p',
    '/p',
    '',
    'ftp://a.example/',
    'https://a.example/\r\nx',
  ])('%j has no canonical form', (url) => expect(() => canonicalUrl(url)).toThrow(MalformedUrl))

  it('is its own canonical form', () => {
    const path = fc.array(fc.constantFrom('a', '..', '.', '', '%2F', '%7e', '%2e', '%2e%2E', '%41', '~', 'b;c', '%c3%a9'), {
      maxLength: 8,
    })
    const query = fc.constantFrom('', '?', '?a=%7e&b', '?x=a+b')
    const host = fc.constantFrom('a.example', 'A.Example.', 'x:443', 'x:8080', 'u:p@b.example', '[::1]:443', '[2001:DB8::1]')
    fc.assert(
      fc.property(host, path, query, (authority, segments, search) => {
        const once = canonicalUrl(`https://${authority}/${segments.join('/')}${search}`)
        expect(canonicalUrl(once.targetUri)).toEqual(once)
        expect(canonicalAuthority(authority, 'https')).toBe(once.authority)
        expect(once.targetUri).not.toMatch(/\/\.{1,2}(\/|$|\?)/)
      }),
    )
  })
})

it('a URL that no server would take is refused before it is decoded', () => {
  expect(canonicalUrl(`https://a.example/${'%2e%41'.repeat(10_900)}`).targetUri).toHaveLength(18 + 2 * 10_900)
  expect(() => canonicalUrl(`https://a.example/${'%20'.repeat(1_000_000)}`)).toThrow('a URL has at most 65536 characters')
})
