import { describe, expect, test } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { unmatchedNote } from '../../../src/domain/product/unmatched-words.ts'
import { demoProducts } from '../../support/demo-products.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const index = buildIndex([product('sports news', { channels: ['display', 'ctv'] })])
const wordsIn = (brief: string) => unmatchedNote(readBrief(brief), index).join().split(': ')[1]?.replace(/\.$/, '') ?? ''

describe('words of a brief that choose nothing are named', () => {
  test.each([
    ['sports for women 25-54 on podcasts', 'women, 25-54, podcasts'],
    ['sports display by cpc', 'cpc'],
    ['Easter sports display', 'easter'],
    ['sports display, yoga in Sweden', 'yoga'],
  ])('"%s": %s', (brief, words) => expect(wordsIn(brief)).toBe(words))

  test.each([
    'EUR 20,000, sports display in Sweden and Norway, two weeks before Christmas, three a day, weekly report',
    'USD 5000 sports display in New York, no gambling, frequency cap',
    'sports on TV in the United Kingdom from 2026-12-01 to 2026-12-24',
    'sports display, uniquement en Norvège, 5 000 EUR',
    'sports display, solo Noruega, 5.000 EUR',
    'sports display in Norwegen, höchstens drei am Tag, 4000 EUR',
    'sports display, cost per click below 0.50 EUR, 4000 EUR',
    'sports display, 25 000 $ CA',
    'sports display in KW 51',
    'sports display, Kalenderwoche 50 bis 51',
    'sports display, calendar weeks 50-51',
    'sports display, w51, v. 52',
    'sports display in Swedish, only on Saturdays, CPM below 5 euro',
  ])('not those that are read otherwise: "%s"', (brief) => expect(wordsIn(brief)).toBe(''))

  test('nor those by which a product of the demo is known', () => {
    const demo = buildIndex(demoProducts())
    expect(unmatchedNote(readBrief('premium CTV for sports fans in the US, outdoor podcast'), demo)).toEqual([])
  })
})
