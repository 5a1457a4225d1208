import { expect, it } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { unreadPlaceNotes } from '../../../src/domain/product/unread-places.ts'

it.each([
  ['sports banners, no Sweden please, 4000 EUR', ['SE']],
  ['sports banners, minus Sweden', ['SE']],
  ['bar Sweden, banners', ['SE']],
  ['banners no Sweden or Norway', ['SE', 'NO']],
  ['Schweden weglassen, Banner', ['SE']],
  ['Schweden nicht, Banner', ['SE']],
  ['Banner, hoppa över Sverige', ['SE']],
  ['bannières, sauf la Suède', ['SE']],
  ['everywhere but Sweden', ['SE']],
  ['video, Sweden excluded', ['SE']],
  ['leave Sweden out', ['SE']],
  ['keep Sweden out of it', ['SE']],
])('"%s" wants nothing in %j', (brief, not) => {
  const { hints, terms } = readBrief(brief)
  expect(hints).toMatchObject({ countries: [], countriesNot: not })
  expect(hints.unreadPlaces).toBeUndefined()
  expect(terms.filter((term) => /sweden|schweden|sverige|suede|norway/.test(term))).toEqual([])
  expect(readAsk(brief).wishes.flatMap((wish) => wish.not ?? [])).toEqual(not)
})

it('what follows a place that is out is in no list with it', () => {
  expect(readBrief('Schweden nicht, Norwegen').hints).toMatchObject({ countries: ['NO'], countriesNot: ['SE'] })
  expect(readBrief('Sweden excluded, Norway').hints).toMatchObject({ countries: ['NO'], countriesNot: ['SE'] })
})

it.each([
  'banners, Norge exklusive, 4000 EUR',
  'campanha no Brasil, 5000 EUR',
  'no CTV in Sweden, banners',
  'we would rather not be in Sweden',
  'nix Sweden',
  'Sweden can be left aside',
  'not Sweden, Norway only',
  'in Norway and nothing abroad',
])('of "%s" no place is looked for or left out, and the answer says so', (brief) => {
  const { hints, terms } = readBrief(brief)
  expect(hints.countries).toEqual([])
  expect(hints.countriesNot).toBeUndefined()
  expect(hints.countriesAlone).toBeUndefined()
  expect(terms.filter((term) => /sweden|norge|norway|brasil/.test(term))).toEqual([])
  expect(unreadPlaceNotes(hints.unreadPlaces)).toEqual([
    expect.stringMatching(/^What ".+" wants of places was not understood, so .* is neither looked for nor left out\. Say /),
  ])
})

it.each([
  ['sports fans in Sweden without children', ['SE']],
  ['sports fans in Sweden and Norway', ['SE', 'NO']],
  ['no gambling, sports in Sweden', ['SE']],
  ['no more than 3 a day in Sweden', ['SE']],
  ['not only Norway', ['NO']],
  ['Sweden sports fans', ['SE']],
  ['exclusive sponsorship in Norway', ['NO']],
  ['in the US, no minimum', ['US']],
])('"%s" is read, and nothing is said', (brief, countries) => {
  expect(readBrief(brief).hints).toMatchObject({ countries })
  expect(readBrief(brief).hints.unreadPlaces).toBeUndefined()
})

it('limits that name no place are said not to be read', () => {
  expect(readBrief('banners in Norway, nothing abroad').hints).toMatchObject({
    countries: ['NO'],
    unreadPlaces: [{ clause: 'nothing abroad', countries: [] }],
  })
  expect(readBrief('banners, Norway and nowhere outside it').hints).toMatchObject({ countriesAlone: ['NO'] })
})

it.each([
  ['display, exclude California', { regionsNot: ['US-CA'], countries: [] }],
  ['everywhere in the US except Texas', { regionsNot: ['US-TX'], countries: ['US'] }],
  ['minus California and Texas', { regionsNot: ['US-CA', 'US-TX'], countries: [] }],
  ['not in London', { regionsNot: ['GB-LND'], countries: [] }],
  ['New York only, display', { regionsAlone: ['US-NY'], regions: ['US-NY'], countries: ['US'] }],
])('"%s": states and cities', (brief, hints) => {
  expect(readBrief(brief).hints).toMatchObject(hints)
  if (!('regions' in hints)) expect(readBrief(brief).hints.regions).toBeUndefined()
})
