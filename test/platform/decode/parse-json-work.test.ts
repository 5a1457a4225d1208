import { expect, test, vi } from 'vitest'
import { JsonRefused, parseJson } from '../../../src/platform/decode/parse-json.ts'

/** Characters that the patterns of the parser look at in a text, whatever becomes of it. */
function charactersExamined(text: string): number {
  const replace = String.prototype.replace
  let examined = 0
  const spy = vi.spyOn(String.prototype, 'replace').mockImplementation(function (this: string, ...given) {
    examined += this.length
    return Reflect.apply(replace, this, given)
  })
  try {
    parseJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
  } finally {
    spy.mockRestore()
  }
  return examined
}

const LONG_NAME = `"${'\\u0041'.repeat(500)}"`

test.each([
  ['colons behind one text', `{${LONG_NAME}${`${':'.repeat(1_000)}}{`.repeat(4)}`],
  ['colons and white space', `{${LONG_NAME}${': '.repeat(2_000)}`],
  ['colons behind values', `{${LONG_NAME}${':1'.repeat(2_000)}`],
  ['names one after the other', `{${`${LONG_NAME}:1,`.repeat(20)}}`],
])('each text is looked at once at most: %s', (_what, text) => {
  const examined = charactersExamined(text)
  expect(examined).toBeGreaterThan(0)
  expect(examined).toBeLessThanOrEqual(text.length)
})
