import { expect, test } from 'vitest'
import { rangeOf } from '../../../src/domain/media-buy/delivery.ts'

test('days of a report, either of them open', () => {
  expect(rangeOf('2028-02-29', '2028-03-01')).toEqual({ first: '2028-02-29', last: '2028-03-01' })
  expect(rangeOf(undefined, '2026-12-31')).toEqual({ last: '2026-12-31' })
  expect(rangeOf(undefined, undefined)).toEqual({})
})

test.each(['2026-02-29', '2026-02-31', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32', '0000-01-01'])(
  '%s is no day, and nobody gets the report of another',
  (day) => {
    const refusal = (field: string) => ({ code: 'INVALID_REQUEST', message: `${field} is no day of the calendar` })
    expect(() => rangeOf(day, undefined)).toThrow(expect.objectContaining(refusal('start_date')))
    expect(() => rangeOf(undefined, day)).toThrow(expect.objectContaining(refusal('end_date')))
  },
)
