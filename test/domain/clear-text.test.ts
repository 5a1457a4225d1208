import { expect, it } from 'vitest'
import { searchClearText } from '../../src/domain/audience/clear-text.ts'
import { atOnce, type Steps } from '../../src/platform/concurrency/steps.ts'

const NONE: ReadonlySet<string> = new Set()

function stepsOf(steps: Steps<void>): number {
  let count = 0
  while (!steps.next().done) count++
  return count
}

it('an upload is looked through in steps, one for each member at least', () => {
  const members = Array.from({ length: 1_000 }, (_, index) => ({
    external_id: `p${index}`,
    uids: [{ type: 'uid2', value: 'x' }],
  }))
  expect(stepsOf(searchClearText(members, 'audiences[0].add', NONE))).toBeGreaterThanOrEqual(1_000)
})

it('what is refused is named by its whole path', () => {
  const audiences = [{ add: [{ external_id: 'p' }, { uids: [{ type: 'other', value: 'anna@example.com' }] }] }]
  expect(() => atOnce(searchClearText(audiences, 'audiences', NONE))).toThrow(
    'audiences[0].add[1].uids[0].value holds a mail address in the clear, which is not taken',
  )
  expect(() => atOnce(searchClearText([{ add: [{ 'E-Mail': 'x' }] }], 'audiences', NONE))).toThrow(
    'audiences[0].add[0].E-Mail holds personal data in the clear, which is not taken',
  )
})
