import { expect, it } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { namesPlacesPlainly } from '../../../src/domain/product/plain-places.ts'

it.each([
  'minus Sweden',
  'bar Sweden',
  'Schweden weglassen',
  'hoppa över Sverige',
  'sauf la Suède',
  'sod Sweden',
  'Sweden begone',
])('of "%s" no country is wanted, and it is said not to be read', (text) => {
  const { wishes, unread } = readAsk(text)
  expect(wishes.filter(({ countries }) => countries)).toEqual([])
  if (!wishes.some(({ not }) => not)) expect(unread).toEqual([text])
})

it.each([
  'only in Norway',
  'only Norway',
  'Norway only',
  'nur in Norwegen',
  'sports fans in Sweden and Norway',
  'focus on Norway',
  'add Denmark',
  'cover SE and NO',
  'for the US, UK and Canada',
  'Norway, please',
])('"%s" wants its countries', (text) => {
  expect(namesPlacesPlainly(text)).toBe(true)
  expect(readAsk(text).unread).toEqual(text.startsWith('sports fans') ? ['sports fans'] : [])
})
