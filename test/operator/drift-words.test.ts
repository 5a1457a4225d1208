import { expect, test } from 'vitest'
import { driftWords } from '../../src/operator/ad-servers/drift-words.ts'

test.each([
  ['budgetMicros', 500_000_000, 1_500_000, { field: 'budget', expected: '500', observed: '1.5' }],
  ['added', [], ['li_1', 'li_2'], { field: 'added', expected: '–', observed: 'li_1, li_2' }],
  ['missing', 'active', null, { field: 'missing', expected: 'active', observed: '–' }],
  ['goalImpressions', null, 1_000, { field: 'impressions', expected: '–', observed: '1000' }],
  ['targeting', null, { geo_countries: ['DE'] }, { field: 'targeting', expected: '–', observed: '{"geo_countries":["DE"]}' }],
])('%s in words', (field, expected, observed, words) => {
  expect(driftWords({ field, expected, observed })).toEqual(words)
})
