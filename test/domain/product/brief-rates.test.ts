import { expect, it } from 'vitest'
import { hintsOf } from '../../../src/domain/product/brief-hints.ts'

it.each([
  ['cost per click below 0.50 EUR, 4000 EUR, banners', { amount: 4000, currency: 'EUR' }, undefined],
  ['sports banners: 1,500 EUR per week for 3 weeks', undefined, '1,500 EUR per week'],
  ['200 EUR a day for two weeks, sports banners', undefined, '200 EUR a day'],
  ['at most $2,000 a day for ten days', undefined, '$2,000 a day'],
  ['daily budget of 300 EUR, 5 000 EUR in all', { amount: 5000, currency: 'EUR' }, undefined],
  ['TKP maximal 7 Euro, Budget 3000 Euro, Sportbanner', { amount: 3000, currency: 'EUR' }, undefined],
  ['300 Euro pro Tag', undefined, '300 Euro pro Tag'],
  ['sports video, 25 000 $ CA', { amount: 25_000, currency: 'CAD' }, undefined],
  ['CA$25,000 for video', { amount: 25_000, currency: 'CAD' }, undefined],
  ['A$25,000 for video', { amount: 25_000, currency: 'AUD' }, undefined],
  ['AU $25,000 for video', { amount: 25_000, currency: 'AUD' }, undefined],
  ['Plan a $50,000 premium video campaign', { amount: 50_000, currency: 'USD' }, undefined],
  ['A $5k test with Acme Corp.’s $1m to follow', { amount: 5_000, currency: 'USD' }, undefined],
  ['US$ 5,000', { amount: 5000, currency: 'USD' }, undefined],
  ['EUR 20,000, sports fans, two weeks, three a day, weekly report', { amount: 20_000, currency: 'EUR' }, undefined],
  ['weekly report, EUR 20,000', { amount: 20_000, currency: 'EUR' }, undefined],
] as const)('%s', (brief, budget, rate) => {
  const hints = hintsOf(brief)
  expect([hints.budget, hints.rate]).toEqual([budget, rate])
})
