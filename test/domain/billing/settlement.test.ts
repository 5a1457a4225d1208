import { expect, it } from 'vitest'
import { paymentState } from '../../../src/domain/billing/due-date.ts'
import {
  type AccountPayment,
  balancesOf,
  type Claim,
  type ClaimPayment,
  creditBalances,
  settle,
} from '../../../src/domain/billing/settlement.ts'

const claim = (invoiceId: string, payableMicros: number, more: Partial<Claim> = {}): Claim => ({
  ...{ invoiceId, month: invoiceId.slice(0, 7), accountId: 'a', currency: 'EUR', payableMicros },
  ...{ issuedOn: '2026-04-01', dueOn: '2026-05-02' },
  ...more,
})
const into = (day: string, micros: number, more: Partial<AccountPayment> = {}): AccountPayment => ({
  ...{ accountId: 'a', currency: 'EUR', day, micros },
  ...more,
})
const stand = (
  claims: readonly Claim[],
  payments: readonly ClaimPayment[],
  accountPayments: readonly AccountPayment[],
  today = '2026-05-02',
  refunds: readonly AccountPayment[] = [],
) =>
  [...settle({ claims, payments, accountPayments, refunds }, today)].map(
    ([id, { state, settledMicros, openMicros, settledOn }]) => [
      ...[id, state, settledMicros, openMicros],
      ...(settledOn === undefined ? [] : [settledOn]),
    ],
  )

it('an invoice is open, part paid, paid or overdue', () => {
  const owed = { payableMicros: 100, dueOn: '2026-05-02' }
  const states = (
    [
      [0, '2026-05-02'],
      [1, '2026-05-02'],
      [1, '2026-05-03'],
      [100, '2026-06-01'],
    ] as const
  ).map(([settled, day]) => paymentState(owed, settled, day))
  expect(states).toEqual(['open', 'part_paid', 'overdue', 'paid'])
})

it('it is overdue by the days since it was due, and never without a due date', () => {
  const late = (dueOn: string | undefined) =>
    settle({ claims: [claim('1', 5, { dueOn })], payments: [], accountPayments: [], refunds: [] }, '2026-05-14').get('1')
  expect(late('2026-05-02')).toMatchObject({ state: 'overdue', overdueDays: 12 })
  expect(late('2026-05-14')).toMatchObject({ state: 'open', overdueDays: 0 })
  expect(late(undefined)).toMatchObject({ state: 'open', overdueDays: 0 })
})

it('its own payments settle it, then those into the account, the oldest invoice first', () => {
  const claims = [claim('1', 100), claim('2', 50), claim('3', 10)]
  const payments = [{ invoiceId: '2', day: '2026-04-20', micros: 50 }]
  expect(stand(claims, payments, [into('2026-04-25', 70), into('2026-04-10', 35)])).toEqual([
    ['1', 'paid', 100, 0, '2026-04-25'],
    ['2', 'paid', 50, 0, '2026-04-20'],
    ['3', 'part_paid', 5, 5],
  ])
  // Another account and another currency settle nothing of it.
  const others = [into('2026-04-02', 100, { accountId: 'b' }), into('2026-04-02', 100, { currency: 'USD' })]
  expect(stand([claim('1', 100)], [], others)).toEqual([['1', 'open', 0, 100]])
})

it('what was paid back settles nothing: it is of the newest money of its day, and the balance is less by it', () => {
  const claims = [claim('1', 100)]
  const paid = [into('2026-04-10', 60), into('2026-04-20', 90), into('2026-05-01', 5)]
  const back = (...refunds: AccountPayment[]) => stand(claims, [], paid, undefined, refunds)
  expect(back(into('2026-04-21', 50))).toEqual([['1', 'paid', 100, 0, '2026-04-20']])
  // What came after it is used next.
  expect(back(into('2026-04-21', 52))).toEqual([['1', 'paid', 100, 0, '2026-05-01']])
  expect(back(into('2026-04-21', 60))).toEqual([['1', 'part_paid', 95, 5]])
  // Before any money came, it is of the first that comes; of another currency it is none.
  expect(back(into('2026-04-01', 55))).toEqual([['1', 'paid', 100, 0, '2026-05-01']])
  expect(back(into('2026-04-21', 52, { currency: 'USD' }))).toEqual([['1', 'paid', 100, 0, '2026-04-20']])
  const balances = (refunds: readonly AccountPayment[]) => {
    const facts = { claims, payments: [], accountPayments: paid, refunds }
    const states = settle(facts, '2026-05-02')
    return [balancesOf(facts, states), creditBalances(facts, states)].map((all) => all.map(({ micros }) => micros))
  }
  expect(balances([])).toEqual([[55], [55]])
  expect(balances([into('2026-05-01', 30), into('2026-05-02', 25)])).toEqual([[0], []])
  expect(balances([into('2026-05-01', 200)])).toEqual([[-45], []])
})

it('a credit settles other invoices of its account', () => {
  const claims = [claim('1', 100), claim('2', -30, { issuedOn: '2026-05-01', dueOn: undefined })]
  expect(stand(claims, [{ invoiceId: '1', day: '2026-04-20', micros: 70 }], [])).toEqual([
    ['1', 'paid', 100, 0, '2026-05-01'],
    ['2', 'credit', 0, 0],
  ])
})

it('what was paid before is paid on the day of the invoice', () => {
  expect(stand([claim('1', 100)], [], [into('2026-03-01', 100)])).toEqual([['1', 'paid', 100, 0, '2026-04-01']])
})

it('a credit note settles its invoice first; what it gives back beyond what is open settles others', () => {
  const note = (invoiceId: string, refersTo: string, micros: number) =>
    claim(invoiceId, -micros, { refersTo, issuedOn: '2026-04-20', dueOn: undefined })
  const [first, second] = [claim('1', 100), claim('2', 50)]
  expect(stand([first, second, note('2-C1', '2', 30)], [], [])).toEqual([
    ['1', 'open', 0, 100],
    ['2', 'part_paid', 30, 20],
    ['2-C1', 'credit', 0, 0],
  ])
  expect(stand([first, second, note('2-C1', '2', 50)], [{ invoiceId: '2', day: '2026-04-25', micros: 50 }], [])).toEqual([
    ['1', 'part_paid', 50, 50],
    ['2', 'credited', 50, 0, '2026-04-25'],
    ['2-C1', 'credit', 0, 0],
  ])
  // The invoice of a credit note may be of an account that is not asked for.
  expect(stand([first, note('9-C1', '9', 100)], [], [])[0]).toEqual(['1', 'paid', 100, 0, '2026-04-20'])
})
