import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { placeSharesIn } from '../../../src/domain/product/place-shares.ts'

const SHARES = [
  ...['Norway 20%', '80% of the budget in Sweden', 'Sweden: 60%', 'Norway at 40 percent', 'half the budget in Norway'],
  ...['a third in Norway', 'the rest in Sweden', '20% for Oslo', 'Norway gets 20%', 'two thirds of the money to Norway'],
  ...[
    '60/40 Sweden and Norway',
    'split evenly between Sweden and Norway',
    'equal shares for Sweden and Norway',
    '100% in Norway',
  ],
  ...['20 % Norwegen', 'Schweden 60 Prozent', '60 % des Budgets in Schweden', 'die Hälfte in Norwegen', '60 procent i Sverige'],
  ...[
    'hälften av budgeten i Sverige',
    'halvparten i Norge',
    '20 % du budget en Norvège',
    '20 pour cent en Norvège',
    'la moitié en Suède',
  ],
  ...['el 20 % en Noruega', '20 por ciento en Noruega', '20% in Norvegia', '20% van het budget in Noorwegen'],
]
const SHIFTS = [
  ...[
    'less Sweden',
    'fewer Norway',
    'less of Norway',
    'more Norway',
    'more in Norway',
    'increase the budget for Norway',
    'double Norway',
  ],
  ...[
    'move 20% from Sweden to Norway',
    'shift budget to Norway',
    'twice as much in Norway',
    'reduce Norway by 10%',
    'Norway less',
  ],
  ...['more video in Norway', 'display 40% in Norway', 'mehr Norwegen', 'weniger in Schweden', 'mindre i Sverige', 'mer i Norge'],
  ...['plus de Norvège', 'moins de Suède', 'menos Suecia', 'más en Noruega', 'minder Zweden', 'meno Svezia'],
]

test.each([...SHARES, ...SHIFTS])('"%s" changes nothing, and is said not to be possible', (ask) => {
  const read = readAsk(ask)
  expect(read).toMatchObject({ wishes: [], changes: [], prices: [], unread: [] })
  expect(read.placeShares).toHaveLength(1)
  expect(read.wanted).toBe('')
  // Beside it, the rest is done.
  expect(readAsk(`${ask}; more display`)).toMatchObject({
    wishes: [],
    changes: [{ kind: 'more', channels: ['display'] }],
    unread: [],
  })
})

test.each([
  ['Sweden 60%, Norway 40%', ['Sweden 60%', 'Norway 40%']],
  ['Sweden 60% and Norway 40%', ['Sweden 60%', 'Norway 40%']],
  ['80% in Sweden, the rest in Norway', ['80% in Sweden', 'the rest in Norway']],
  ['3,000 EUR in Sweden and 1,000 EUR in Norway', ['3,000 EUR in Sweden and 1,000 EUR in Norway']],
])('each part of "%s" is named', (ask, named) => {
  expect(readAsk(ask)).toMatchObject({ wishes: [], changes: [], placeShares: named, unread: [] })
})

test.each([
  ...[
    'only in Norway',
    'Norway, please',
    'cover Norway',
    'add Norway',
    'only video in Norway',
    'display to 40%',
    '10% off in Norway',
  ],
  ...['a budget of 20,000 EUR in Norway', 'completion rate above 80% in Norway', '80% viewability in Sweden', 'not in Sweden'],
  ...['more video', 'CPM below 9 EUR in Norway', 'from 1 December 2026 in Norway'],
])('"%s" is no share of a place', (ask) => {
  expect(readAsk(ask).placeShares).toEqual([])
})

test.each(SHARES)('of a brief "%s" is named too, and its places are wanted', (part) => {
  const brief = `sports banners, 5000 EUR, ${part}`
  expect(placeSharesIn(brief)).toEqual([part])
  expect(readBrief(brief).hints.countries.length).toBeGreaterThan(0)
})

test.each([
  'sports banners in Sweden and Norway, 5000 EUR',
  'women 60% in Sweden',
  'video in Sweden with 80% viewability',
  '20,000 EUR in Norway',
  'in December 2026 in Norway and March 2027 in Sweden',
  'next quarter in Norway',
  'second half of December in Norway',
  '12 000 kr, 10/12 in Sweden and Norway',
])('"%s" has no shares of places', (brief) => expect(placeSharesIn(brief)).toEqual([]))

test('amounts at places are shares', () => {
  expect(placeSharesIn('sports banners, EUR 4,000, of which 3,000 in Sweden and 1,000 in Norway')).toEqual([
    'of which 3,000 in Sweden and 1,000 in Norway',
  ])
  expect(placeSharesIn('Sportbanner, 4.000 EUR, davon 3.000 EUR in Schweden')).toEqual(['davon 3.000 EUR in Schweden'])
})

test.each(['fewer Norway', 'less Norway', 'minus Norway', 'weniger Norwegen', 'färre i Norge', 'moins de Norvège'])(
  'a brief of "%s" does not look for the place',
  (part) => {
    const { hints, terms } = readBrief(`sports banners, ${part}`)
    expect(hints.countries).toEqual([])
    expect(terms.join(' ')).not.toMatch(/nor[wvg]/)
  },
)

test('a long text is read in time that grows with its length', () => {
  const started = performance.now()
  for (const part of ['60% of the budget in ', 'Norway ', 'Norway 20% ', '3,000 in Norway ', 'a third of the ', '1 000 '])
    placeSharesIn(part.repeat(2_000))
  expect(performance.now() - started).toBeLessThan(2_000)
})
