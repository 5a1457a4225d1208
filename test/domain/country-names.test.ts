import { expect, it } from 'vitest'
import { countryMentions, MOST_MENTIONS } from '../../src/domain/country-names.ts'

it('reads names of one and more words, the longest that is there', () => {
  const text = 'Bosnia and Herzegovina, South Africa, Österreich and Norway'
  expect(countryMentions(text).map(({ code, start, end }) => [code, text.slice(start, end)])).toEqual([
    ['BA', 'Bosnia and Herzegovina'],
    ['ZA', 'South Africa'],
    ['AT', 'Österreich'],
    ['NO', 'Norway'],
  ])
})

it('reads the first mentions of a text, more than there are countries', () => {
  expect(countryMentions('Norway and '.repeat(400))).toHaveLength(MOST_MENTIONS)
})
