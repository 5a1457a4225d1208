import { describe, expect, it } from 'vitest'
import { draftProduct } from '../../src/domain/ad-serving/product-draft.ts'
import { cleanedText, findUnfitText, unfitText, unfitTextIn } from '../../src/domain/fit-text.ts'

const UNFIT = [
  'a\u0000b',
  'a\ud800b',
  'a\udc00b',
  'a\u202eb',
  'a\u202ab',
  'a\u2066b',
  'a\u2069b',
  'a\u202cb',
  '\u202da\u202cb',
  '\u2068a\u202cb',
]
const FIT = [
  ...[
    '',
    'Größe 300×250',
    '😀',
    '👩🏽‍💻',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'עברית \u200f(1)',
    'a\u200eb',
    'الصفحة الرئيسية\u061c 300×250',
    'line\nbreak\ttab',
  ],
  // As a telephone writes a number of its contacts, and as libraries of translations write a name inside a sentence.
  ...['\u202a+46 8 123 45\u202c', 'קנייה של \u2068Acme Ltd.\u2069 (3)', '\u2067א \u2066b\u2069 ג\u2069'],
]

describe('texts that people give', () => {
  it.each(UNFIT)('%j is refused, and left without it where another system gave it', (text) => {
    expect(unfitText(text)).toMatch(/^holds /)
    expect(cleanedText(text)).toBe('ab')
    expect(findUnfitText({ products: [{ name: text }] }, 'document')).toMatchObject({ at: 'document.products[0].name' })
    expect(findUnfitText({ [text]: 1 }, 'document')?.fault).toMatch(/^has a member whose name holds /)
  })

  it.each(FIT)('%j is kept', (text) => {
    expect(unfitText(text)).toBeUndefined()
    expect(cleanedText(text)).toBe(text)
    expect(findUnfitText([{ [text]: text }], '')).toBeUndefined()
  })
})

it('a draft has the name of an ad unit without what no product may have', () => {
  const terms = {
    productId: 'p',
    name: 'Sport\u0000 \u202eabc',
    description: 'x\ud800',
    domain: 'pub.example',
    sizes: [],
    formats: [],
  }
  const more = { deliveryType: 'non_guaranteed', currency: 'EUR', cpm: 1, dailyCapacity: 1, status: 'active' } as const
  expect(draftProduct({ ...terms, ...more })).toMatchObject({ name: 'Sport abc', description: 'x' })
})

it.each([
  ['maps', {}],
  ['texts', 'a'],
  ['numbers', 1],
])('of a list of 300,000 %s a step looks at a thousand', (_kind, item) => {
  let looked = 0
  const list = new Proxy<unknown[]>(Array.from({ length: 300_000 }).fill(item), {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1
      return Reflect.get(target, name)
    },
  })
  const steps = unfitTextIn({ list }, '')
  let [most, before] = [0, 0]
  while (!steps.next().done) {
    most = Math.max(most, looked - before)
    before = looked
  }
  expect(looked).toBe(300_000)
  expect(most).toBeLessThanOrEqual(1_000)
  expect(findUnfitText({ list: ['a', { name: 'a\u0000b' }] }, '')).toMatchObject({ at: 'list[1].name' })
})
