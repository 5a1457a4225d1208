import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { languagesIn } from '../../../src/domain/product/brief-hints.ts'

test.each([
  ['20 million impressions for 20,000 EUR', ['20 million impressions']],
  ['at most 18,000 EUR for 3 million impressions', ['3 million impressions']],
  ['EUR 15,000 and 25% more impressions', ['25% more impressions']],
  ['30 million views for 18,000 EUR', ['30 million views']],
  ['EUR 20,000 but in SEK', ['SEK']],
  ['budget 18,000 EUR net of tax', ['net of tax']],
  ['only Sweden in derby weeks', ['derby weeks']],
  ['only Sweden and 2 million impressions', ['2 million impressions']],
  ['only Canada at derbies', ['derbies']],
  ['a budget of 6,000 EUR and 5 million impressions', ['5 million impressions']],
  ['EUR 18,000 paid in Norwegian kroner', ['paid in Norwegian kroner']],
  ['EUR 20,000 split evenly', ['split evenly']],
  ['EUR 20,000 or 25,000 EUR', ['25,000 EUR']],
  ['sports video in Sweden', ['sports video']],
  ['10% off in derby breaks', ['derby breaks']],
  ['CPM below $20 in derby breaks', ['derby breaks']],
  ['only guaranteed delivery in derby breaks', ['derby breaks']],
  ['only Norway for young parents, EUR 5,000 excluding agency fees', ['young parents', 'excluding agency fees']],
])('"%s": what stands beside what was understood is said not to be', (ask, left) => {
  expect(readAsk(ask).unread).toEqual(left)
})

test.each([
  ...['a budget of 18,000 EUR', 'increase the budget to $30K', 'at most EUR 18,000 in total', 'with a budget of $10,000'],
  ...['please plan for about 50 000 kr in Sweden', '20k euros', 'spend 1.5M USD overall', 'make it CA$ 20,000', 'EUR 25.000,00'],
  ...['only Sweden', 'only deliver in Norway and Denmark', 'reach people in Norway', 'just SE and NO', 'nur in Norwegen'],
  ...['only Norway with EUR 5,000', '10% off', '10% lower CPM on video', 'CPM below $20', 'half off', '$15 CPM'],
  ...['only guaranteed packages', 'must include completion rate SLA above 80%', 'only video in Sweden', 'in Swedish'],
  ...['EUR 18,000 from 2026-12-10 to 2026-12-24', 'EUR 18,000 with three a day', 'EUR 18,000 on weekdays, weekly report'],
  ...['20% lower with a budget of $5,000', 'all products must support frequency capping', '10 % lower'],
])('of "%s" nothing is left', (ask) => {
  expect(readAsk(ask).unread).toEqual([])
})

test('sound that is off asks for no price', () => {
  const { prices, changes } = readAsk('less video with sound off')
  expect(prices).toEqual([])
  expect(changes).toMatchObject([{ kind: 'less', terms: ['sound', 'off'] }])
  expect(readAsk('20% off, half off').prices).toHaveLength(2)
})

test('money of a country is no language', () => {
  expect(languagesIn('paid in Norwegian kroner, Danish crowns, in Polish zloty and in English pounds')).toEqual([])
  expect(languagesIn('banners in Norwegian, paid in Swedish kronor')).toEqual(['norwegian'])
})

test.each([
  ...['only Sweden in the evening', 'only Canada at night', '10% off in the evening', 'CPM below $20 in the evening'],
  'only guaranteed delivery in the evening',
])('"%s" names hours, which are sent with the order', (ask) => {
  expect(readAsk(ask)).toMatchObject({ ordered: ['hours of the day'], unread: [] })
})
