import { describe, expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { hardTargetingIn } from '../../../src/domain/product/hard-targeting.ts'
import { namedPlacesIn, placeListsIn, withNamedPlaces } from '../../../src/domain/product/named-places.ts'

/** Briefs that leave no choice of places. */
const ALONE: readonly (readonly [string, readonly string[]])[] = [
  ['banners, only Norway, 5000 USD', ['NO']],
  ['banners: only in Norway', ['NO']],
  ['Norway only', ['NO']],
  ['Norway (only)', ['NO']],
  ['just Norway', ['NO']],
  ['banner, nur Norwegen, 5000 EUR', ['NO']],
  ['ausschließlich in Schweden und Norwegen', ['SE', 'NO']],
  ['uniquement en Norvège', ['NO']],
  ['bara Norge och Sverige', ['NO', 'SE']],
  ['exclusively for SE and NO, banners', ['SE', 'NO']],
  ['only NO', ['NO']],
  ['only DE, AT and CH', ['DE', 'AT', 'CH']],
  ['US, UK only', ['US', 'GB']],
  ['only Norway, Sweden and Denmark, video', ['NO', 'SE', 'DK']],
  ['only sports fans in Norway and Sweden, EUR 20,000', ['NO', 'SE']],
  ['banners, not outside Norway', ['NO']],
  ['nothing outside of Sweden, Norway and Denmark', ['SE', 'NO', 'DK']],
  ['do not run outside of the US', ['US']],
  ['nicht außerhalb von Schweden', ['SE']],
  ['nowhere but Denmark', ['DK']],
  ['banners in Sweden and Norway and nowhere else, 5000 USD', ['SE', 'NO']],
  ['banners in Norway, no other countries', ['NO']],
]

describe('places outside of which nothing is to run', () => {
  test.each(ALONE)('%s', (brief, countries) => {
    expect(readBrief(brief).hints).toMatchObject({ countries, countriesAlone: countries })
    expect(hardTargetingIn(brief)?.geo_countries).toEqual(countries)
    expect(readAsk(brief).wishes.find(({ only }) => only)?.only).toEqual(countries)
    expect(withNamedPlaces(withNamedPlaces(brief))).toBe(withNamedPlaces(brief))
    const { named, lists } = namedPlacesIn(brief)
    expect(lists).toEqual(placeListsIn(named))
  })

  test.each([
    ['banners for NO and SE, 5000 USD', ['NO', 'SE']],
    ['not only Norway', ['NO']],
    ['only TV, in Norway', ['NO']],
    ['sports in Norway, only EUR 5000', ['NO']],
    ['We sell only in Norway', ['NO']],
    ['HR and IT decision makers in DE', ['DE']],
    ['BANNERS ONLY NO TV', []],
    ['sports in KW 51, EUR 20,000', []],
    ['Display in Norwegen, KW50-51', ['NO']],
    ['sports in KW, week 51', ['KW']],
    ['everywhere except Norway', []],
    ['sports in France, Russia and Serbia', ['FR', 'RU', 'RS']],
  ])('%s: none', (brief, countries) => {
    expect(readBrief(brief).hints.countries).toEqual(countries)
    expect(readBrief(brief).hints.countriesAlone).toBeUndefined()
    expect(hardTargetingIn(brief)).toBeUndefined()
  })

  test('what is limited beside the places leaves a choice: a plan is limited, nothing is left out', () => {
    for (const brief of ['only banners in Norway', 'Run in Norway only on mobile']) {
      expect(readBrief(brief).hints.countriesAlone).toEqual(['NO'])
      expect(hardTargetingIn(brief)).toBeUndefined()
    }
  })
})
