import { describe, expect, it } from 'vitest'
import { refuseClearText } from '../../src/domain/audience/clear-text.ts'
import { reviewItems } from '../../src/domain/catalog/review-items.ts'
import { formatTest } from '../../src/domain/creative/formats/format-test.ts'
import { percentEncode } from '../../src/domain/creative/macros/encode.ts'
import { fillXml } from '../../src/domain/creative/macros/fill-asset.ts'
import { fillMarkup } from '../../src/domain/creative/macros/fill-markup.ts'
import { identifierSet } from '../../src/domain/directory/property-identifier.ts'
import { reservationChanges } from '../../src/domain/media-buy/inventory.ts'
import { split } from '../../src/domain/money.ts'
import { checkTargeting } from '../../src/domain/product/targeting.ts'
import { withoutTags } from '../../src/domain/without-tags.ts'
import { withoutTrailing } from '../../src/domain/without-trailing.ts'
import { stemOf, textOf } from '../../src/features/content-standards/artifact-text.ts'
import { ForbiddenIndex } from '../../src/features/content-standards/forbidden-index.ts'
import { findCredential } from '../../src/pipeline/credential-scan.ts'
import { findUnfitValue } from '../../src/pipeline/find-unfit-value.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { parseJson } from '../../src/platform/decode/parse-json.ts'
import { isReservedName } from '../../src/platform/net/reserved-address.ts'
import { parseSignature } from '../../src/security/signing/parse-signature.ts'
import { matchesEntityTag } from '../../src/transports/http/entity-tag.ts'
import { growsTooFast } from '../support/growth.ts'
import { plan, product } from '../support/media-buy-fixtures.ts'

const article = (content: string) =>
  textOf({ property_rid: 'p', artifact_id: 'a', assets: [{ type: 'text', content, content_format: 'text/html' }] })
const ignoringRefusal = (text: string) => {
  try {
    refuseClearText({ value: text }, 'add')
  } catch {}
}

const wildcards = identifierSet(['*.example', `*.${'a.'.repeat(50)}example`].map((value) => ({ type: 'domain', value })))
const SIGNATURE: readonly (readonly [string, readonly string[]])[] = [
  [
    'signature-input',
    ['sig1=("@method" "content-type");created=1;expires=2;nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="k";alg="ed25519";tag="t"'],
  ],
  ['signature', ['sig1=:YQ==:']],
]
const readSignatureOf = (type: string) => parseSignature(new Map([...SIGNATURE, ['content-type', [type]]]), ['base64'])

describe('what reads the text of callers takes time in proportion to it', () => {
  it.each<readonly [string, (length: number) => string, (text: string) => unknown]>([
    ['If-None-Match with spaces', (n) => `a${' '.repeat(n)}b`, (text) => matchesEntityTag(text, '"x"')],
    ['If-None-Match with commas', (n) => ','.repeat(n), (text) => matchesEntityTag(text, '"x"')],
    ['mail: text behind an @', (n) => `a@${'a'.repeat(n)}`, ignoringRefusal],
    ['mail: only @', (n) => '@'.repeat(n), ignoringRefusal],
    ['mail: no @', (n) => 'a'.repeat(n), ignoringRefusal],
    ['feed: tags that never end', (n) => '<'.repeat(n), withoutTags],
    ['feed: tags that end', (n) => '<a>'.repeat(n), withoutTags],
    ['host with dots', (n) => `a${'.'.repeat(n)}b.example`, isReservedName],
    ['host with dots at its end', (n) => '.'.repeat(n), isReservedName],
    ['article: tags that never end', (n) => '<'.repeat(n), article],
    ['article: one word', (n) => 's'.repeat(n), article],
    ['article: words', (n) => 'violently '.repeat(n / 10), article],
    ['JSON: quotes', (n) => JSON.stringify('"\\'.repeat(n)), (text) => parseJson(Buffer.from(text))],
    [
      'JSON: members',
      (n) => JSON.stringify(Object.fromEntries(Array.from({ length: n / 16 }, (_, i) => [`member${i}`, i]))),
      (text) => parseJson(Buffer.from(text)),
    ],
    ['XML of macros', (n) => '{A}'.repeat(n / 3), (text) => fillXml(text, { A: 'https://a.example' })],
    ['XML of sections', (n) => '<![CDATA[{A}]]>'.repeat(n / 15), (text) => fillXml(text, { A: 'https://a.example' })],
    [
      'an address behind spaces',
      (n) => `<a href="${' '.repeat(n / 2)}${'{A}'.repeat(n / 6)}">`,
      (text) => fillMarkup(text, { A: 'https://a.example' }),
    ],
    ['marks of a value', (n) => `a${'\u0315\u0300'.repeat(n / 2)}`, percentEncode],
    ['host of many labels', (n) => `${'a.'.repeat(n / 2)}net`, (value) => wildcards.has({ type: 'domain', value })],
    ...['\\"', '"\\', '"'].map(
      (unit) =>
        [`Content-Type of ${unit}`, (n: number) => `application/json; a="${unit.repeat(n / 2)}`, readSignatureOf] as const,
    ),
    ['text without its end', (n) => `${'/'.repeat(n)}a`, (text) => withoutTrailing(text, '/.')],
  ])('%s', (_, make, work) => {
    expect(growsTooFast(make, work, 80_000)).toBe(false)
  })

  it.each<readonly [string, (size: number) => unknown]>([
    ['many items', (n) => ({ list: Array(n).fill('x') })],
    ['many objects', (n) => ({ list: Array.from({ length: n }, () => ({ a: 1 })) })],
    [
      'many members',
      (n) => ({
        list: Array.from({ length: n / 100 }, () =>
          Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, { a: 1 }])),
        ),
      }),
    ],
  ])('the look at all arguments: %s', (_, make) => {
    expect(growsTooFast(make, (value) => findUnfitValue(value, {}), 8_000)).toBe(false)
    expect(growsTooFast(make, (value) => findCredential(value, { isDeclared: () => true, secrets: [] }), 8_000)).toBe(false)
  })

  it('lists of a request that are held against each other', () => {
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    const overlay = (n: number) => ({ device_type: names('a', n), device_type_exclude: names('b', n) })
    const check = (value: object) => {
      try {
        checkTargeting(product('home'), value, 'packages[0].targeting_overlay', undefined)
      } catch {}
    }
    expect(growsTooFast(overlay, check, 500)).toBe(false)
    const catalog = (n: number) => ({ ids: names('a', n), items: names('b', n).map((item_id) => ({ item_id, title: 'x' })) })
    expect(growsTooFast(catalog, ({ ids, items }) => atOnce(reviewItems({ type: 'product', ids }, items)), 500)).toBe(false)
    const formats = (n: number) => names('f', n).map((id) => ({ agent_url: 'https://ads.example/mcp', id }))
    expect(growsTooFast(formats, (all) => all.filter(formatTest(all)).length, 100)).toBe(false)
  })

  it('the inventory of packages', () => {
    const home = product('home', { delivery_type: 'guaranteed' })
    const [pkg] = plan({ packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 10.01 }] }, [home]).packages
    const packages = (count: number) => Array.from({ length: count }, () => pkg!)
    expect(growsTooFast(packages, (all) => reservationChanges([], all), 192)).toBe(false)
    expect(
      growsTooFast(
        (days) => Array<number>(days).fill(86_400_000),
        (weights) => split(1_000_003, weights),
        8_000,
      ),
    ).toBe(false)
  })
})

describe('and still reads it right', () => {
  it('a text costs no more for policies that have nothing to do with it', () => {
    const policies = (count: number) =>
      new ForbiddenIndex(Array.from({ length: count }, (_, at) => [{ name: `${at}`, signs: [[`word${at}`, `thing${at}`]] }]))
    const text = new Set(Array.from({ length: 2_000 }, (_, at) => `plain${at}`))
    expect(growsTooFast(policies, (index) => Array.from({ length: 20 }, () => index.firstIn(text)), 64_000)).toBe(false)
  })

  it.each(['a@b.c', 'write to a@b.c now', '@@x@host.example', 'a@b@c.d'])('%s holds a mail address', (value) => {
    expect(() => refuseClearText({ value }, 'add')).toThrow('add.value holds a mail address')
  })

  it.each(['@', 'a@b', '@b.c', 'a @b.c', 'a@ b.c', 'a@.c', 'a@b.', '.@.@.'])('%s holds none', (value) => {
    expect(() => refuseClearText({ value }, 'add')).not.toThrow()
  })

  it('tags go, a lone < stays', () => {
    expect(withoutTags('a <b>bold</b> 1 < 2')).toBe('a  bold  1 < 2')
    expect(withoutTags('<<a>x')).toBe(' x')
    expect(withoutTags('')).toBe('')
  })

  it('a word of any length has a stem', () => {
    expect(stemOf('s'.repeat(60_000))).toHaveLength(60_000)
    expect(['violent', 'violence', 'violently'].map(stemOf)).toEqual(['viol', 'viol', 'viol'])
  })

  it('a name longer than a host name can be leads nowhere', () => {
    expect(isReservedName(`a${'.'.repeat(100_000)}b.example`)).toBe(true)
    expect(isReservedName('localhost..')).toBe(true)
    expect(isReservedName(`${'a'.repeat(60)}.example.`)).toBe(false)
  })

  it.each([
    ['"a"', true],
    ['"b" ,  W/"a"', true],
    ['*', true],
    ['"b"', false],
    [undefined, false],
  ])('If-None-Match %s', (header, matches) => {
    expect(matchesEntityTag(header, '"a"')).toBe(matches)
  })

  it('inventory is summed over the packages of a product, days and products in order', () => {
    const [home, away] = [product('home', { delivery_type: 'guaranteed' }), product('away', { delivery_type: 'guaranteed' })]
    const wish = (product_id: string) => ({ product_id, pricing_option_id: 'cpm', budget: 10 })
    const buy = plan({ packages: [wish('home'), wish('away'), wish('home')] }, [home, away])
    const changes = reservationChanges([], buy.packages)
    expect([...changes.keys()]).toEqual(['away', 'home'])
    const sum = (id: string) => changes.get(id)?.reduce((total, { delta }) => total + delta, 0)
    expect(sum('home')).toBe(2 * (sum('away') ?? 0))
    const days = changes.get('home')?.map(({ period }) => period) ?? []
    expect(days).toEqual(days.toSorted())
    expect(reservationChanges(buy.packages, buy.packages).get('home')).toEqual([])
  })
})
