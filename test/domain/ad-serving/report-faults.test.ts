import { expect, test } from 'vitest'
import { faultOfReported } from '../../../src/domain/ad-serving/report-faults.ts'

const NOW = new Date('2026-03-05T12:00:00Z')

test.each(['2026-03-05', '2026-03-05T12', '2026-03-06', '2026-03-06T02', '2024-02-29T23'])(
  '%s is a period that counts',
  (period) => {
    expect(faultOfReported(period, { clicks: 0, spendMicros: 2 ** 53 - 1 }, NOW)).toBeUndefined()
  },
)

test.each<readonly [unknown, unknown, string]>([
  ['2026-02-30', 1, 'period is "2026-02-30"; it has to be a UTC day YYYY-MM-DD or an hour YYYY-MM-DDTHH'],
  ['2026-03-05T24', 1, 'period is "2026-03-05T24"; it has'],
  ['2026-03-05T12:00', 1, 'period is "2026-03-05T12:00"; it has'],
  ['yesterday', 1, 'period is "yesterday"; it has'],
  [undefined, 1, 'period is undefined; it has'],
  ['2026-03-07', 1, 'period 2026-03-07 is in the future'],
  ['2026-03-06T03', 1, 'period 2026-03-06T03 is in the future'],
  ['2026-03-05', -1, 'clicks of 2026-03-05 is -1; it has to be a whole number from 0, below 2^53'],
  ['2026-03-05', 0.5, 'clicks of 2026-03-05 is 0.5; it'],
  ['2026-03-05', Number.NaN, 'clicks of 2026-03-05 is NaN; it'],
  ['2026-03-05', 2 ** 53, 'clicks of 2026-03-05 is 9007199254740992; it'],
  ['2026-03-05', '7', 'clicks of 2026-03-05 is "7"; it'],
])('%j with %j clicks does not count', (period, clicks, fault) => {
  expect(faultOfReported(period, { impressions: 1, clicks }, NOW)).toMatch(new RegExp(`^${fault.replaceAll(/[.^]/g, '\\$&')}`))
})
