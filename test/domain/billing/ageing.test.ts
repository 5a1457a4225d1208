import { expect, it } from 'vitest'
import { agedBooks, mostOpenFirst } from '../../../src/domain/billing/ageing.ts'
import type { Claim, SettlementFacts } from '../../../src/domain/billing/settlement.ts'

const claim = (invoiceId: string, payableMicros: number, dueOn: string | undefined, more: Partial<Claim> = {}): Claim => ({
  ...{ invoiceId, month: '2026-01', accountId: 'a', currency: 'EUR', payableMicros, issuedOn: '2026-01-05', dueOn },
  ...more,
})
const NONE: SettlementFacts = { claims: [], payments: [], accountPayments: [], refunds: [] }
const aged = (facts: Partial<SettlementFacts>, day: string) =>
  agedBooks({ ...NONE, ...facts }, day).map(({ accountId, currency, open, openMicros, creditMicros, invoices }) => [
    ...[accountId, currency, Object.values(open), openMicros, creditMicros, invoices],
  ])

it('open amounts are told apart by the days since they were due, the last day of each with the days before', () => {
  const dues = ['2026-06-30', '2026-06-29', '2026-05-31', '2026-05-30', '2026-05-01', '2026-04-30', '2026-04-01', '2026-03-31']
  const claims = dues.map((due, index) => claim(`${index}`, 10 ** index, due))
  expect(aged({ claims }, '2026-06-30')).toEqual([['a', 'EUR', [1, 110, 11_000, 1_100_000, 10_000_000], 11_111_111, 0, 8]])
  // One without a due date is as old as it is.
  expect(aged({ claims: [claim('1', 7, undefined)] }, '2026-02-20')).toEqual([['a', 'EUR', [0, 0, 7, 0, 0], 7, 0, 1]])
})

it('on an earlier day it is what was known by then: what was issued, paid, credited and paid back', () => {
  const facts = {
    claims: [
      claim('1', 100, '2026-02-04'),
      claim('2', 50, '2026-04-04', { issuedOn: '2026-03-05' }),
      claim('1-C1', -30, undefined, { issuedOn: '2026-03-01', refersTo: '1' }),
    ],
    payments: [{ invoiceId: '1', day: '2026-03-10', micros: 60 }],
    accountPayments: [{ accountId: 'a', currency: 'EUR', day: '2026-03-20', micros: 90 }],
    refunds: [{ accountId: 'a', currency: 'EUR', day: '2026-03-25', micros: 5 }],
  }
  expect(aged(facts, '2026-01-04')).toEqual([])
  expect(aged(facts, '2026-02-10')).toEqual([['a', 'EUR', [0, 100, 0, 0, 0], 100, 0, 1]])
  expect(aged(facts, '2026-03-05')).toEqual([['a', 'EUR', [50, 70, 0, 0, 0], 120, 0, 2]])
  expect(aged(facts, '2026-03-10')).toEqual([['a', 'EUR', [50, 0, 10, 0, 0], 60, 0, 2]])
  expect(aged(facts, '2026-03-20')).toEqual([['a', 'EUR', [0, 0, 0, 0, 0], 0, 30, 0]])
  expect(aged(facts, '2026-03-25')).toEqual([['a', 'EUR', [0, 0, 0, 0, 0], 0, 25, 0]])
})

it('who has most open comes first in each currency, and every two have an order', () => {
  const of = (accountId: string, micros: number, currency = 'EUR') =>
    claim(accountId + currency, micros, undefined, { accountId, currency })
  const claims = [of('b', 5), of('a', 5), of('c', 9), of('a', 1, 'CHF')]
  const books = agedBooks({ ...NONE, claims }, '2026-02-01')
  expect(books.map(({ accountId, currency }) => accountId + currency)).toEqual(['aCHF', 'cEUR', 'aEUR', 'bEUR'])
  expect(books.map((book, index) => books.findIndex((other) => mostOpenFirst(book, other) === 0) === index)).toEqual([
    true,
    true,
    true,
    true,
  ])
})
