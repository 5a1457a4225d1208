import { expect, it, vi } from 'vitest'
import { type KeywordRule, keywordTest, readWords } from '../../src/domain/keyword-match.ts'
import { requireConsistent } from '../../src/domain/product/targeting.ts'
import { counted, type Reads } from '../support/counted.ts'

const phrases = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ keyword: `Shoe ${10_000 + index}`, match_type: 'phrase' as const }))

it('finds what comparing every keyword with every word finds', () => {
  const words = ['best trail shoes 10499', 'ü', 'running']
  const rules = [...phrases(500), { keyword: 'RUN', match_type: 'broad' }, { keyword: 'run', match_type: 'exact' }]
  const texts: readonly KeywordRule[] = [
    ...rules,
    { keyword: 'shoes 10499' },
    { keyword: 'Running', match_type: 'exact' },
    { keyword: 'x'.repeat(99) },
  ]
  for (const rule of texts) {
    const text = rule.keyword.toLowerCase()
    const expected = words.some((word) => (rule.match_type === 'exact' ? word === text : word.includes(text)))
    expect([rule.keyword, keywordTest([rule])(readWords(words))]).toEqual([rule.keyword, expected])
  }
  expect(keywordTest(phrases(500))(readWords(words))).toBe(false)
  expect(keywordTest([...phrases(500), { keyword: 'Shoes 10499' }])(readWords(words))).toBe(true)
})

it('compares a few keywords of one length with the words, and each package once for all placements', () => {
  const reads: Reads = { count: 0 }
  const words = readWords(Array.from({ length: 50 }, (_, index) => `word ${index}`.padEnd(120, '.')))
  const rules = counted(phrases(1_000), reads)
  const compare = vi.spyOn(String.prototype, 'includes')
  const test = keywordTest(rules)
  for (let placement = 0; placement < 20; placement += 1) test(words)
  const compared = compare.mock.calls.length
  compare.mockRestore()
  expect(test(words)).toBe(false)
  expect(compared).toBeLessThanOrEqual(16 * 50)
  expect(reads.count).toBe(1_000)
})

it.each(['keyword_targets', 'negative_keywords'])('takes 1,000 %s and refuses more', (name) => {
  expect(() => requireConsistent({ [name]: phrases(1_000) }, 'targeting_overlay')).not.toThrow()
  expect(() => requireConsistent({ [name]: phrases(1_001) }, 'targeting_overlay')).toThrow(
    `targeting_overlay.${name} has 1001 keywords; a package takes at most 1000`,
  )
})
