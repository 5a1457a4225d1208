import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ForbiddenIndex } from '../../../src/features/content-standards/forbidden-index.ts'

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const forbidden = fc.record({
  name: fc.string(),
  signs: fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
})

it('finds of each policy what a look at all of it finds', () => {
  fc.assert(
    fc.property(fc.array(fc.array(forbidden, { maxLength: 4 }), { maxLength: 5 }), fc.array(word), (policies, words) => {
      const stems = new Set(words)
      const found = new ForbiddenIndex(policies).firstIn(stems)
      const expected = policies.map((all) => all.find(({ signs }) => signs.some((sign) => sign.every((each) => stems.has(each)))))
      expect(policies.map((_, at) => found.get(at))).toEqual(expected)
    }),
  )
})
