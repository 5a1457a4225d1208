import { expect, it } from 'vitest'
import { TimeLeft } from '../../tools/testing/time-left.ts'

const NOW = Date.UTC(2026, 0, 1)
const minutes = (count: number) => NOW + count * 60_000

it('a run has an hour, or until the moment that it is told', () => {
  const alone = new TimeLeft({}, NOW)
  expect(alone.tooLateFor(20, minutes(40))).toBeUndefined()
  expect(alone.tooLateFor(20, minutes(41))).toBe(
    '19 minutes are left and it may take 20; a faster machine, or npm run test:extended alone, runs it',
  )
  const told = new TimeLeft({ TESTS_END_AT: String(minutes(85) / 1000) }, NOW)
  expect(told.tooLateFor(20, minutes(65))).toBeUndefined()
  expect(told.tooLateFor(20, minutes(90))).toContain('0 minutes are left')
})
