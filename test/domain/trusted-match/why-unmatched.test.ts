import { expect, it } from 'vitest'
import { describeMatched } from '../../../src/domain/trusted-match/why-unmatched.ts'

const none = { matched: 0, sandbox: 0, withoutCreative: 0, resting: 0 }

it.each([
  [none, 'no package is matched: no order of a buyer is in flight'],
  [{ ...none, sandbox: 2 }, 'no package is matched: 2 of sandbox buyers (simulated)'],
  [{ ...none, matched: 1 }, '1 package is matched'],
  [
    { matched: 3, sandbox: 1, withoutCreative: 2, resting: 4 },
    '3 packages are matched; not matched: 1 of sandbox buyers (simulated), 2 without an approved creative, 4 paused, canceled or outside their own flight',
  ],
])('%j', (counted, text) => {
  expect(describeMatched(counted)).toBe(text)
})
