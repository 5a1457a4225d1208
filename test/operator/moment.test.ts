import { expect, it } from 'vitest'
import { localCalendar } from '../../src/domain/calendar/local-time.ts'
import { amountOr, numberText } from '../../src/operator/amount.ts'
import { checkedValues } from '../../src/operator/check-fields.ts'
import { endOrSpan, moment, momentOrSpan, readEnd, readExpiry, readMoment } from '../../src/operator/moment.ts'

const fields = { since: moment('since when'), from: momentOrSpan('from when'), expires: endOrSpan('until when') }
const now = new Date('2026-03-01T12:00:00.000Z')

it('a moment is a time with its zone or a day, and reaches the act in UTC', () => {
  const sinceOf = (since: string) => checkedValues({ since }, fields).since
  expect(sinceOf('2026-01-31')).toBe('2026-01-31T00:00:00.000Z')
  expect(sinceOf(' 2026-01-31T12:00+01:00 ')).toBe('2026-01-31T11:00:00.000Z')
  expect(sinceOf('2026-01-31T12:00:00.5Z')).toBe('2026-01-31T12:00:00.500Z')
  for (const since of ['yesterday', '2026-02-30', '2026-01-31T12:00:00', '2026-01-31T25:00Z', '90d', '1'])
    expect(() => checkedValues({ since }, fields)).toThrow(
      'since must be a point in time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31',
    )
})

it('where spans are taken, a moment is also one from now on', () => {
  const momentOf = (from: string) => readMoment(checkedValues({ from }, fields).from ?? '', now, 'from').toISOString()
  expect(momentOf('90d')).toBe('2026-05-30T12:00:00.000Z')
  expect(momentOf('30m')).toBe('2026-03-01T12:30:00.000Z')
  expect(momentOf('2026-04-01')).toBe('2026-04-01T00:00:00.000Z')
  expect(() => momentOf('2026-01-31')).toThrow('from "2026-01-31T00:00:00.000Z" is in the past')
  for (const from of ['90', 'd', '9999999d', '1w'])
    expect(() => momentOf(from)).toThrow(/^from must be a point in time .* or a span from now such as 30m, 12h or 90d$/)
})

it('a key counts until the end of its last day, in the time zone of the publisher, as a flight does', () => {
  const stockholm = localCalendar('Europe/Stockholm')
  const expiryOf = (expires: string) => readExpiry(checkedValues({ expires }, fields).expires ?? '', now, stockholm).toISOString()
  expect(expiryOf('2026-04-01')).toBe(readEnd('2026-04-01', stockholm))
  expect(expiryOf('2026-03-01')).toBe(readEnd('2026-03-01', stockholm))
  expect(expiryOf('2026-04-01T12:00:00+02:00')).toBe('2026-04-01T10:00:00.000Z')
  expect(expiryOf('12h')).toBe('2026-03-02T00:00:00.000Z')
  expect(() => expiryOf('2026-02-28')).toThrow('expires "2026-02-28" is in the past')
  expect(() => expiryOf('0d')).toThrow('expires "0d" is now: the key would never count')
  expect(() => expiryOf('1w')).toThrow(/^expires must be a point in time .* or a last day .* or a span from now/)
})

it('amounts are numbers or texts, at every door', () => {
  const amounts = { amount: numberText('what is paid'), above: amountOr('none', 'above what') }
  expect(checkedValues({ amount: 12.5, above: '10 000,50' }, amounts)).toEqual({ amount: '12.5', above: 10_000.5 })
  expect(checkedValues({ amount: '12,5', above: 'none' }, amounts)).toEqual({ amount: '12,5', above: 'none' })
  for (const above of ['1.000', 'much', -1])
    expect(() => checkedValues({ above }, amounts)).toThrow(/^above must be an amount from 0/)
  for (const amount of [true, {}, []]) expect(() => checkedValues({ amount }, amounts)).toThrow('amount must be')
})
