import { describe, expect, it } from 'vitest'
import { meantValue } from '../../src/domain/meant-value.ts'

describe('a value of another form', () => {
  it.each([
    ['5 000 USD', 'send 5000'],
    ['$5K', 'send 5000'],
    ['EUR 20,000', 'send 20000'],
    ['12.5', 'send 12.5'],
    [{ amount: 750, currency: 'EUR' }, 'send the amount alone: 750'],
    ['20 000 kr', 'send 20000'],
    ['€ 1.500,50', 'send 1500.5'],
    ['300px', 'send 300'],
    ['+10%', 'send the amount itself, not a change of it'],
    ['5,000', undefined],
    ['a lot', undefined],
    [{ currency: 'EUR' }, undefined],
    ['1'.repeat(100), undefined],
  ])('that was meant to be a number: %j', (value, expected) => {
    expect(meantValue('number', value)).toBe(expected)
  })

  it.each([
    ['performance_index', '120%', 'send 1.2'],
    ['performance_index', '+20%', 'send the amount itself, not a change of it'],
    ['start_hour', '08:00', 'send 8'],
    ['end_hour', '24:00:00', 'send 24'],
    ['end_hour', '08:30', undefined],
    ['budget', '08:00', undefined],
    ['budget', '10%', 'send the amount itself, not a change of it'],
  ])('that was meant to be the number of %s: %s', (name, value, expected) => {
    expect(meantValue('number', value, { name })).toBe(expected)
  })

  it.each([
    ['Sweden', 'send "SE"'],
    ['United States', 'send "US"'],
    ['Sweden and Norway', undefined],
    ['Atlantis', undefined],
  ])('that was meant to be a country: %s', (value, expected) => {
    expect(meantValue('country', value)).toBe(expected)
  })

  it.each([
    ['English', 'send "en"'],
    ['en-US', 'send "en"'],
    ['Klingon', undefined],
  ])('that was meant to be a language: %s', (value, expected) => {
    expect(meantValue('language', value)).toBe(expected)
  })

  it.each([
    ['video', 'send "olv" or "ctv"'],
    ['Banners', 'send "display"'],
    ['sky writing', undefined],
  ])('that was meant to be a channel: %s', (value, expected) => {
    expect(meantValue('channel', value)).toBe(expected)
  })

  it.each([
    ['currency', 'eur', 'send "EUR"'],
    ['list', 'news', 'send ["news"]'],
    ['list', 'product_id, name', 'send ["product_id","name"]'],
    ['list', 'Shoes, for runners', 'send ["Shoes, for runners"]'],
    ['flag', 'yes', 'send true'],
    ['moment', '2027-03-01', 'send "2027-03-01T00:00:00Z"'],
    ['day', '2027-03-01T10:00:00Z', 'send "2027-03-01"'],
    ['day', '2027-02-30', 'the calendar has no 2027-02-30'],
    ['domain', 'https://www.Brand.example/path', 'send "brand.example"'],
    [undefined, 'news', undefined],
  ] as const)('that was meant to be a %s: %s', (wanted, value, expected) => {
    expect(meantValue(wanted, value)).toBe(expected)
  })

  it.each([
    ['language', 'Swedish', 'send ["sv"]'],
    ['geo_countries', 'Sweden and Norway', 'send ["SE","NO"]'],
    ['geo_countries_exclude', 'se, Norway', 'send ["SE","NO"]'],
    ['geo_regions', 'Stockholm', 'send ["SE-AB"]'],
    ['countries', 'Atlantis, Norway', 'send ["Atlantis","Norway"]'],
  ])('that was meant to be a list of codes of %s: %s', (name, value, expected) => {
    expect(meantValue('list', value, { name })).toBe(expected)
  })

  it.each([
    ['start_time', '2026-12-31', 'send "2026-12-31T00:00:00Z"'],
    ['end_time', '2026-12-31', 'send "2027-01-01T00:00:00Z", the end of 2026-12-31'],
    ['end_time', '2026-12-31T10:00', 'send "2026-12-31T10:00:00Z"'],
    ['end_time', '2026-02-30', 'the calendar has no 2026-02-30'],
  ])('that was meant to be the moment of %s: %s', (name, value, expected) => {
    expect(meantValue('moment', value, { name })).toBe(expected)
  })
})
