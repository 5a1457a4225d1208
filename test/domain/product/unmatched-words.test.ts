import { describe, expect, test } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { mediaIn } from '../../../src/domain/product/brief-channels.ts'
import { isOfferedTo } from '../../../src/domain/product/product.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { replaceInIndex } from '../../../src/domain/product/replace-in-index.ts'
import { unmatchedNote } from '../../../src/domain/product/unmatched-words.ts'
import { mediaNotes } from '../../../src/domain/product/unreached.ts'
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

  test('by which a product is known that is not on sale any more, and its medium is not offered', () => {
    const radio = product('commuter radio', { channels: ['streaming_audio'] })
    const paused = { ...radio, selling: { ...radio.selling, status: 'paused' as const } }
    const before = buildIndex([product('sports news', { channels: ['display'] }), radio])
    const after = replaceInIndex(before, new Map([[1, paused]]))
    const offeringOf = (all: typeof before) => ({ index: all, principalId: undefined })
    const notesOn = (all: typeof before) => {
      const brief = readBrief('commuter radio')
      const offered = new Map(all.products.filter((each) => isOfferedTo(each, undefined)).map((each) => [each.id, each]))
      return [...unmatchedNote(brief, all, offered), ...mediaNotes(mediaIn(brief), offeringOf(all))]
    }
    expect(notesOn(before)).toEqual([])
    expect(notesOn(after)).toEqual([
      'No product is known by these words of the brief, so they chose nothing: commuter, radio.',
      'Nothing here is radio; what is offered is display.',
    ])
  })

  test('nor those by which a product of the demo is known', () => {
    const demo = buildIndex(demoProducts())
    expect(unmatchedNote(readBrief('premium CTV for sports fans in the US, outdoor podcast'), demo)).toEqual([])
  })
})
