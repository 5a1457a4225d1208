import { expect, it } from 'vitest'
import { isLanguage, languageMeant } from '../../../src/domain/product/language-codes.ts'
import { requireConsistent } from '../../../src/domain/product/targeting.ts'

it.each(['sv', 'nb', 'no', 'en-US', 'pt-BR', 'fil'])('%s is a language', (tag) => {
  expect(isLanguage(tag)).toBe(true)
})

it.each([
  ['xx', undefined],
  ['zz', undefined],
  ['jp', 'ja'],
  ['dk', 'da'],
  ['cz', 'cs'],
  ['swedish', 'sv'],
  ['swedsh', 'sv'],
  ['x-private', undefined],
  ['-', undefined],
])('%s is none, and meant %s', (tag, meant) => {
  expect(isLanguage(tag)).toBe(false)
  expect(languageMeant(tag)).toBe(meant)
})

it('an unknown language is refused by its place, with the nearest', () => {
  const refused = (code: string) => () => requireConsistent({ language: ['sv', code] }, 'packages[0].targeting_overlay')
  const field = 'packages[0].targeting_overlay.language[1]'
  const message = expect.stringContaining('did you mean "ja"?')
  expect(refused('jp')).toThrowError(expect.objectContaining({ code: 'VALIDATION_ERROR', field, message }))
  expect(refused('xx')).toThrowError(expect.objectContaining({ code: 'VALIDATION_ERROR', field }))
})
