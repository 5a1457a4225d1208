import { describe, expect, it } from 'vitest'
import { meantValue } from '../../src/domain/meant-value.ts'

const told = (value: unknown, message: string, keyword: string, name = 'x') =>
  meantValue({ pointer: `/${name}/0`, message, keyword }, value)

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
    expect(told(value, 'must be a number, not "…"', 'type')).toBe(expected)
  })

  it.each([
    ['Sweden', 'send "SE"'],
    ['United States', 'send "US"'],
    ['Sweden and Norway', undefined],
    ['Atlantis', undefined],
  ])('that was meant to be a country: %s', (value, expected) => {
    expect(told(value, 'must be a country in two capital letters (ISO 3166-1) such as "DE"', 'pattern')).toBe(expected)
  })

  it.each([
    ['English', 'send "en"'],
    ['en-US', 'send "en"'],
    ['Klingon', undefined],
  ])('that was meant to be a language: %s', (value, expected) => {
    expect(told(value, 'must be a language in two small letters (ISO 639-1) such as "de"', 'pattern')).toBe(expected)
  })

  it.each([
    ['video', 'send "olv" or "ctv"'],
    ['Banners', 'send "display"'],
    ['sky writing', undefined],
  ])('that was meant to be a channel: %s', (value, expected) => {
    expect(told(value, 'must be one of: display, olv', 'enum', 'channels')).toBe(expected)
  })
})
