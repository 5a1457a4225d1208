import { expect, test } from 'vitest'
import { otherDaysNote } from '../../../src/domain/media-buy/order-notes.ts'

const planned = { first: '2027-01-10', last: '2027-01-31' }
const flight = (startsAt: string, endsAt: string) => ({ startsAt, endsAt })

test.each([
  ['2027-01-10T00:00:00.000Z', '2027-01-31T23:59:59.000Z'],
  ['2027-01-10T08:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2027-01-10T00:00:00.000Z', '2027-01-31T00:00:00.000Z'],
])('an order from %s to %s runs on the days of its proposal', (startsAt, endsAt) => {
  expect(otherDaysNote(planned, flight(startsAt, endsAt))).toEqual([])
})

test('an order on other days than those of its proposal says so', () => {
  const start = '2027-03-10T00:00:00.000Z'
  const end = '2027-03-31T00:00:00.000Z'
  expect(otherDaysNote(planned, flight(start, end))).toEqual([
    `The proposal is for 2027-01-10 to 2027-01-31; the order runs from ${start} to ${end}, as start_time and end_time say.`,
  ])
  expect(otherDaysNote(planned, flight('2027-01-10T00:00:00.000Z', end))).toHaveLength(1)
  expect(otherDaysNote(undefined, flight(start, end))).toEqual([])
})
