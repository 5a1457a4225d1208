import { expect, test } from 'vitest'
import { daysNamedIn } from '../../../src/domain/product/brief-dates.ts'

const NOW = new Date('2026-11-26T15:00:00Z')

test.each([
  ['from 11 to 24 December 2026, video', '2026-12-11', '2026-12-24'],
  ['11-24 December', '2026-12-11', '2026-12-24'],
  ['December 11th to 24th, 2026', '2026-12-11', '2026-12-24'],
  ['December 11 – January 5', '2026-12-11', '2027-01-05'],
  ['15 December to 10 January 2027', '2026-12-15', '2027-01-10'],
  ['2026-12-11 to 2026-12-24', '2026-12-11', '2026-12-24'],
  ['between 2026-12-11 and 2026-12-24', '2026-12-11', '2026-12-24'],
  ['EUR 20,000, two weeks before Christmas, three a day', '2026-12-11', '2026-12-24'],
  ['from 1 March to 15 April', '2027-03-01', '2027-04-15'],
  ['from March 1 through April 15th, 2027', '2027-03-01', '2027-04-15'],
  ['a week before New Year', '2026-12-25', '2026-12-31'],
  ['for three weeks from 4 January', '2027-01-04', '2027-01-24'],
  ['starting on 4 January 2027 for 10 days', '2027-01-04', '2027-01-13'],
  ['sports fans in December', '2026-12-01', '2026-12-31'],
  ['launch in February 2028', '2028-02-01', '2028-02-29'],
  ['from March to May 2027', '2027-03-01', '2027-05-31'],
  ['vom 11. bis 24. Dezember 2026', '2026-12-11', '2026-12-24'],
  ['11.12.2026 bis 24.12.2026', '2026-12-11', '2026-12-24'],
  ['zwei Wochen vor Weihnachten', '2026-12-11', '2026-12-24'],
  ['du 1er mars au 15 avril', '2027-03-01', '2027-04-15'],
  ['deux semaines avant Noël', '2026-12-11', '2026-12-24'],
  ['del 1 de marzo al 15 de abril de 2027', '2027-03-01', '2027-04-15'],
  ['dos semanas antes de Navidad', '2026-12-11', '2026-12-24'],
  ['dal 1 marzo al 15 aprile', '2027-03-01', '2027-04-15'],
  ['två veckor före jul', '2026-12-11', '2026-12-24'],
  ['från 1 mars till 15 april', '2027-03-01', '2027-04-15'],
  ['to uker før jul', '2026-12-11', '2026-12-24'],
  ['van 1 maart tot en met 15 april', '2027-03-01', '2027-04-15'],
  ['sports fans in week 51, video', '2026-12-14', '2026-12-20'],
  ['calendar week 51', '2026-12-14', '2026-12-20'],
  ['display, w51, EUR 20,000', '2026-12-14', '2026-12-20'],
  ['KW 51', '2026-12-14', '2026-12-20'],
  ['KW51/2027', '2027-12-20', '2027-12-26'],
  ['2027-W51', '2027-12-20', '2027-12-26'],
  ['week 51 of 2027', '2027-12-20', '2027-12-26'],
  ['weeks 50\u201351', '2026-12-07', '2026-12-20'],
  ['weeks 50 and 51', '2026-12-07', '2026-12-20'],
  ['from week 50 to week 51', '2026-12-07', '2026-12-20'],
  ['w50-w51 2026', '2026-12-07', '2026-12-20'],
  ['KW 50 bis 2', '2026-12-07', '2027-01-17'],
  ['Kalenderwoche 1', '2027-01-04', '2027-01-10'],
  ['semaine 51', '2026-12-14', '2026-12-20'],
  ['vecka 50-51', '2026-12-07', '2026-12-20'],
  ['v. 51', '2026-12-14', '2026-12-20'],
  ['week 48', '2026-11-23', '2026-11-29'],
  ['week 47', '2027-11-22', '2027-11-28'],
  ['week 53', '2026-12-28', '2027-01-03'],
  ['2025-12-11 to 2025-12-24', '2025-12-11', '2025-12-24'],
])('"%s" is from %s to %s', (text, first, last) => expect(daysNamedIn(text, NOW)).toEqual({ first, last }))

test.each([
  ['from 4 January', { first: '2027-01-04' }],
  ['until 24 December', { last: '2026-12-24' }],
])('"%s" leaves an end open: %j', (text, days) => expect(daysNamedIn(text, NOW)).toEqual(days))

test.each([
  'sports fans aged 18-24, 20,000 USD, CPM 12',
  'March madness, may contain music',
  '30 to 45 February',
  'next week',
  'two weeks, 3 per day',
  'women 18 to 34 in Sweden, 10 million impressions',
  'in 3 to 5 markets',
  'a report each week, 3 a day',
  'week 53 of 2027',
  'week 54',
  'weeks',
  'per week 10,000 impressions',
  'two weeks 30 EUR CPM',
  'three a week 5 days',
  'W18-34, sports',
  'w25+',
])('"%s" names no days', (text) => expect(daysNamedIn(text, NOW)).toBeUndefined())

test('a long text is read in time that grows with its length', () => {
  const started = performance.now()
  for (const part of ['11 to ', 'from march ', 'two weeks before ', 'weeks 50 to ', '1 . , of ', '2026-12-'])
    daysNamedIn(part.repeat(20_000), NOW)
  expect(performance.now() - started).toBeLessThan(2_000)
})
