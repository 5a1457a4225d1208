import { describe, expect, test } from 'vitest'
import { hardTargetingIn } from '../../../src/domain/product/hard-targeting.ts'

describe('what a brief demands', () => {
  test.each([
    ['Outdoor video. Deliver only in the US.', { geo_countries: ['US'] }],
    ['Sports fans, strictly within Sweden, Norway and Denmark, video', { geo_countries: ['SE', 'NO', 'DK'] }],
    ['Display in the United States only, $40,000', { geo_countries: ['US'] }],
    ['Only to people in Germany with a budget of EUR 20,000 for our launch in France', { geo_countries: ['DE'] }],
    ['Only adults aged 25-54', { demographics: { age: { min: 25, max: 54, include_unknown: false } } }],
    ['Exclusively viewers 21 and over', { demographics: { age: { min: 21, include_unknown: false } } }],
    [
      'Premium video. Hard requirements: deliver only in the US and only to people ages 18 through 44.',
      { geo_countries: ['US'], demographics: { age: { min: 18, max: 44, include_unknown: false } } },
    ],
  ])('%s', (brief, hard) => {
    expect(hardTargetingIn(brief)).toEqual(hard)
  })

  test.each([
    'Outdoor video in the US, adults 25-54',
    'Not only in Sweden, please',
    'Run in the US only on mobile',
    'Only in cinemas, brand from Canada',
    'Only in New York',
    'The only condition: no more than 20,000 dollars, 2 to 4 weeks',
    'Nothing but CTV',
  ])('%s: a wish, or nothing that is known', (brief) => {
    expect(hardTargetingIn(brief)).toBeUndefined()
  })

  test('a long brief costs what it holds', () => {
    const started = performance.now()
    hardTargetingIn('only in the us within only '.repeat(40_000))
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
