import { expect, it } from 'vitest'
import { chosenIn, tickedIn } from '../../src/console/form-text.ts'

it('a box of a form is ticked or not; what no page sends is refused, and not read as the other', () => {
  const form = new URLSearchParams({ sandbox: 'yes', credit: 'credit', empty: '', wrong: 'true' })
  expect(tickedIn(form, 'sandbox')).toBe(true)
  expect(tickedIn(form, 'credit', 'credit')).toBe(true)
  expect([tickedIn(form, 'empty'), tickedIn(form, 'absent')]).toEqual([false, false])
  const refusal = { code: 'INVALID_REQUEST', field: 'wrong', message: 'wrong must be yes or empty, not "true"' }
  expect(() => tickedIn(form, 'wrong')).toThrow(expect.objectContaining(refusal))
})

it('a choice of a form is one of its words, the first where nothing is sent; another word is refused', () => {
  const form = new URLSearchParams({ mode: 'replace', wrong: 'Replace' })
  expect([chosenIn(form, 'mode', ['merge', 'replace']), chosenIn(form, 'absent', ['merge', 'replace'])]).toEqual([
    ...['replace', 'merge'],
  ])
  const refusal = { code: 'INVALID_REQUEST', field: 'wrong', message: 'wrong must be merge or replace, not "Replace"' }
  expect(() => chosenIn(form, 'wrong', ['merge', 'replace'])).toThrow(expect.objectContaining(refusal))
})
