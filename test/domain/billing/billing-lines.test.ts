import { expect, it } from 'vitest'
import { type BilledService, takenBack, unbilled } from '../../../src/domain/billing/billing-lines.ts'

const service = (accountId: string, amountMicros: number): BilledService => ({
  ...{ accountId, amountMicros, currency: 'SEK', mediaBuyId: 'o', packageId: 'o-1', productId: 'p' },
  ...{ serviceMonth: '2026-03', impressions: amountMicros * 10 },
})
const due = (delivered: readonly BilledService[], billed: readonly BilledService[]) =>
  unbilled(delivered, billed).map(({ accountId, amountMicros }) => [accountId, amountMicros])

it('a correction is of who pays for what is delivered, and of who was billed where nothing is delivered any more', () => {
  expect(due([service('old', 90)], [service('old', 100)])).toEqual([['old', -10]])
  expect(due([service('old', 110)], [service('old', 100), service('old', -5)])).toEqual([['old', 15]])
  expect(due([], [service('old', 100)])).toEqual([['old', -100]])
})

it('what was credited as a whole is billed anew, and taken back from who was billed last', () => {
  const credited = [service('old', 100), takenBack(service('old', 100))]
  expect(due([service('new', 100)], credited)).toEqual([['new', 100]])
  const anew = [...credited, service('new', 100)]
  expect(due([service('new', 90)], anew)).toEqual([['new', -10]])
  expect(due([], anew)).toEqual([['new', -100]])
})

it('what was never billed is of who pays now', () => {
  expect(due([service('new', 100)], [])).toEqual([['new', 100]])
})
