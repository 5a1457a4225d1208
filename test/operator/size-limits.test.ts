import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MOST_FILE_CHARACTERS, MOST_IN_FORM, MOST_IN_ORDER, MOST_JSON_BYTES } from '../../src/operator/size-limits.ts'

it('a direct order holds what its schema says, and a form no more than that', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schemas/direct-order.json', import.meta.url), 'utf8'))
  const { lines } = schema.properties
  const { creatives } = schema.definitions.line.properties
  expect({ lines: lines.maxItems, creatives: creatives.maxItems }).toEqual(MOST_IN_ORDER)
  expect([MOST_IN_FORM.lines <= lines.maxItems, MOST_IN_FORM.creatives <= creatives.maxItems]).toEqual([true, true])
})

it('a JSON body has room for the longest text of a file', () => {
  expect(MOST_JSON_BYTES).toBeGreaterThan(MOST_FILE_CHARACTERS)
})
