import { expect, test } from 'vitest'
import { atOnce, jsonInSteps } from '../../src/platform/concurrency/steps.ts'

test('an object is written as JSON.stringify writes it', () => {
  const items = ['a "b"\n\u2028', { deep: [1, { x: [] }], gone: undefined }, [[]], {}, null, undefined, new Date(0), 0.5]
  const values = [{}, { gone: undefined }, { none: [], items, 'a\n"name"': { list: [1], text: 'two\nlines' }, last: null }]
  for (const value of values)
    for (const indent of [0, 2]) expect(atOnce(jsonInSteps(value, indent))).toBe(JSON.stringify(value, null, indent))
})

test('a long list is written in steps', () => {
  const items = Array.from({ length: 8_000 }, (_, id) => ({ id }))
  expect([...jsonInSteps({ items })].length).toBe(250)
})
