import { expect, it } from 'vitest'
import { amountOr, numberText } from '../../src/operator/amount.ts'
import { checkedValues } from '../../src/operator/check-fields.ts'
import { moment, momentOrSpan, readExpiry, readMoment } from '../../src/operator/moment.ts'

const fields = { since: moment('since when'), expires: momentOrSpan('until when') }
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
  const expiryOf = (expires: string) => readMoment(checkedValues({ expires }, fields).expires ?? '', now).toISOString()
  expect(expiryOf('90d')).toBe('2026-05-30T12:00:00.000Z')
  expect(expiryOf('30m')).toBe('2026-03-01T12:30:00.000Z')
  expect(expiryOf('2026-04-01')).toBe('2026-04-01T00:00:00.000Z')
  expect(() => expiryOf('2026-01-31')).toThrow('expires "2026-01-31T00:00:00.000Z" is in the past')
  expect(() => readExpiry('0d', now)).toThrow('expires "0d" is now: the key would never count')
  for (const expires of ['90', 'd', '9999999d', '1w'])
    expect(() => expiryOf(expires)).toThrow(/^expires must be a point in time .* or a span from now such as 30m, 12h or 90d$/)
})

it('amounts are numbers or texts, at every door', () => {
  const amounts = { amount: numberText('what is paid'), above: amountOr('none', 'above what') }
  expect(checkedValues({ amount: 12.5, above: '10 000,50' }, amounts)).toEqual({ amount: '12.5', above: 10_000.5 })
  expect(checkedValues({ amount: '12,5', above: 'none' }, amounts)).toEqual({ amount: '12,5', above: 'none' })
  for (const above of ['1.000', 'much', -1])
    expect(() => checkedValues({ above }, amounts)).toThrow(/^above must be an amount from 0/)
  for (const amount of [true, {}, []]) expect(() => checkedValues({ amount }, amounts)).toThrow('amount must be')
})
