import { describe, expect, it } from 'vitest'
import { indexSignals, searchSignals } from '../../../src/domain/signal/search-signals.ts'
import { signalOf } from '../../../src/domain/signal/signal.ts'
import { signalDocument } from '../../support/signal-documents.ts'

const index = indexSignals(
  [
    signalDocument('topics', { name: 'Topics', description: 'What readers follow', keywords: ['news', 'business'] }),
    signalDocument('cars', { name: 'Car intenders', description: 'Compared cars within 60 days' }),
    signalDocument('ev', { name: 'Electric vehicle buyers', description: 'Compared charging and range' }),
    signalDocument('loyal', { name: 'Loyalty members', description: 'Bought a car accessory' }),
  ].map((document) => signalOf(document, [], 'Publisher')),
)
const found = (spec: string) => searchSignals(index, spec).map(({ segmentId }) => segmentId)

describe('search for signals', () => {
  it('puts the signal first whose rarer words and name fit best', () => {
    expect(found('electric vehicles')[0]).toBe('ev')
    expect(found('business news')).toEqual(['topics'])
  })

  it('takes a word like the one asked for, and values it less', () => {
    expect(found('EV')).toEqual(['ev'])
    expect(found('auto').toSorted()).toEqual(['cars', 'ev'])
    expect(found('vehicle')).toEqual(['ev', 'cars'])
    expect(found('cars')[0]).toBe('cars')
  })

  it('takes words that every request has for all signals, in the publisher’s order', () => {
    for (const spec of ['audience segments', 'Premium audience signals with pricing details'])
      expect(found(spec)).toEqual(['topics', 'cars', 'ev', 'loyal'])
  })

  it('finds nothing where nothing fits', () => {
    expect(found('deep sea fishing')).toEqual([])
  })
})
