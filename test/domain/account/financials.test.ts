import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/domain/account/account.ts'
import type { AccountDocument } from '../../../src/domain/account/account-document.ts'
import { billingCycle, financialsOf } from '../../../src/domain/account/financials.ts'
import type { DayAmount } from '../../../src/domain/account/numbered-invoices.ts'
import { requireFinancials } from '../../../src/domain/account/require-financials.ts'
import { settle } from '../../../src/domain/billing/settlement.ts'

const TODAY = '2026-03-16'
const AT = { today: TODAY, timeZone: 'Europe/Oslo' }
const usd = (day: string, amount: number, currency = 'USD'): DayAmount => ({ day, currency, micros: amount * 1_000_000 })

function account(document: Partial<AccountDocument> = {}, status: Account['status'] = 'active'): Account {
  return {
    tenantId: 'acme',
    accountId: 'acc',
    principalId: 'buyer',
    naturalKey: '',
    status,
    sandbox: false,
    implicit: false,
    document: { account_id: 'acc', name: 'A', status, billing: 'operator', ...document },
    revision: 1,
  }
}

const CHARGES = [usd('2026-01-10', 100), usd('2026-02-03', 40), usd('2026-02-20', 60), usd('2026-03-02', 7)]
const facts = (document: Partial<AccountDocument> = {}, payments: DayAmount[] = [], status?: Account['status']) => ({
  account: account(document, status),
  charges: CHARGES,
  fees: [] as DayAmount[],
  payments,
  deliveryDays: [['2026-01-10', '2026-02-03'], ['2026-02-20', '2026-03-02'], []],
})
const of = (...args: Parameters<typeof facts>) => financialsOf(facts(...args), billingCycle(TODAY), AT)

describe('account financials', () => {
  it('sums the spend of the period and counts the buys that delivered in it', () => {
    expect(of()).toMatchObject({
      currency: 'USD',
      timezone: 'Europe/Oslo',
      period: { start: '2026-03-01', end: '2026-03-31' },
      spend: { total_spend: 7, media_buy_count: 1 },
    })
    // Credits of more than was charged are owed, and are no spend below nothing.
    const credited = { ...facts(), charges: [...CHARGES, usd('2026-03-03', -9), usd('2026-03-01', -1, 'EUR')] }
    expect(financialsOf(credited, billingCycle(TODAY), AT)).toMatchObject({
      spend: { total_spend: 0 },
      ext: { other_currencies: [{ currency: 'EUR', total_spend: 0, owed: -1 }] },
    })
    const february = financialsOf(facts(), { start: '2026-02-01', end: '2026-02-28' }, AT)
    expect(february.spend).toEqual({ total_spend: 100, media_buy_count: 2 })
  })

  it('counts fees as owed and on the invoice, and as no spend', () => {
    const fees = [usd('2026-03-04', 250), usd('2026-03-05', -50), usd('2026-02-01', 5)]
    const shown = financialsOf({ ...facts({ payment_terms: 'prepay' }), fees }, billingCycle(TODAY), AT)
    expect(shown).toMatchObject({ spend: { total_spend: 7 }, ext: { fees: [{ currency: 'USD', amount: 200 }] } })
    expect(shown.invoices.map(({ amount }) => amount)).toEqual([207, 105, 100])
    const paid = financialsOf({ ...facts({ payment_terms: 'prepay' }, [usd('2026-01-01', 500)]), fees }, billingCycle(TODAY), AT)
    expect(paid.balance?.available).toBe(500 - 207 - 205)
  })

  it('makes one invoice a month; payments settle the oldest first', () => {
    const { invoices, payment_status } = of({ payment_terms: 'net_15' }, [usd('2026-02-05', 30), usd('2026-02-12', 75)])
    expect(invoices).toEqual([
      { invoice_id: 'inv_2026_03', period: { start: '2026-03-01', end: '2026-03-31' }, amount: 7, status: 'draft' },
      expect.objectContaining({ invoice_id: 'inv_2026_02', amount: 100, status: 'past_due', due_date: '2026-03-15' }),
      expect.objectContaining({ invoice_id: 'inv_2026_01', status: 'paid', due_date: '2026-02-15', paid_date: '2026-02-12' }),
    ])
    expect(payment_status).toBe('past_due')
  })

  it('holds an invoice open until its terms have run out, and has no due date without terms', () => {
    expect(of({ payment_terms: 'net_60' }).payment_status).toBe('current')
    expect(of().invoices?.[1]).not.toHaveProperty('due_date')
    expect(of({}, [], 'suspended').payment_status).toBe('suspended')
    expect(of({}, [], 'payment_required').payment_status).toBe('past_due')
  })

  it('tells credit from the limit and what is owed', () => {
    const credit_limit = { amount: 400, currency: 'USD' }
    expect(of({ credit_limit }, [usd('2026-02-12', 107)]).credit).toEqual({
      credit_limit: 400,
      available_credit: 300,
      utilization_percent: 25,
    })
    expect(of({ credit_limit: { amount: 50, currency: 'USD' } }).credit).toMatchObject({
      available_credit: -157,
      utilization_percent: 100,
    })
    expect(of()).not.toHaveProperty('credit')
  })

  it('has the numbered invoices where months are closed; what is owed is what they ask for, with tax', () => {
    const month = { accountId: 'acc', currency: 'USD', issuedOn: '2026-02-01' }
    const claims = [
      { ...month, invoiceId: '2026-01-0001', month: '2026-01', payableMicros: 125_000_000, dueOn: '2026-03-01' },
      { ...month, invoiceId: '2026-01-0002', month: '2026-01', payableMicros: 9_000_000, dueOn: undefined, currency: 'EUR' },
    ]
    const payments = [{ invoiceId: '2026-01-0001', day: '2026-02-09', micros: 25_000_000 }]
    const settlement = {
      claims,
      payments,
      accountPayments: [],
      refunds: [usd('2026-02-20', 3), { ...usd('2026-02-20', 1), currency: 'EUR' }].map((each) => ({
        ...each,
        accountId: 'acc',
      })),
    }
    const standing = settle(settlement, '2026-03-16')
    const billing = { ...settlement, standing, last: '2026-01', unbilled: CHARGES.slice(1) }
    const credit_limit = { amount: 400, currency: 'USD' }
    const shown = financialsOf({ ...facts({ credit_limit }), billing }, billingCycle(TODAY), AT)
    const february = { start: '2026-02-01', end: '2026-02-28' }
    expect(shown.invoices).toEqual([
      { invoice_id: 'inv_2026_03', period: billingCycle(TODAY), amount: 7, status: 'draft' },
      { invoice_id: 'inv_2026_02', period: february, amount: 100, status: 'draft' },
      expect.objectContaining({ invoice_id: '2026-01-0001', amount: 125, status: 'past_due', due_date: '2026-03-01' }),
    ])
    // 125 with tax, 25 of it paid, 107 that accrued, and 3 that were paid back.
    expect(shown.credit?.available_credit).toBe(400 - 100 - 107 - 3)
    const part = { invoice_id: '2026-01-0001', open: 100 }
    const euro = { invoice_id: '2026-01-0002', period: { start: '2026-01-01', end: '2026-01-31' }, amount: 9, status: 'issued' }
    expect(shown.ext).toEqual({
      other_currencies: [{ currency: 'EUR', total_spend: 0, owed: 10, invoices: [euro] }],
      ...{ invoices: [part], drafts: 'before discount, commission and tax' },
    })
  })

  it('an invoice that was credited is void and not paid; what is billed anew of it is in the next draft', () => {
    const month = { accountId: 'acc', currency: 'USD', month: '2026-02', dueOn: undefined }
    const credit = { invoiceId: '2026-02-0001-C1', refersTo: '2026-02-0001', issuedOn: '2026-03-04' }
    const claims = [
      { ...month, invoiceId: '2026-02-0001', payableMicros: 100_000_000, issuedOn: '2026-03-01' },
      { ...month, ...credit, payableMicros: -100_000_000 },
    ]
    const settlement = { claims, payments: [], accountPayments: [], refunds: [] }
    const unbilled = [usd('2026-02-01', 100), usd('2026-03-02', 7)]
    const billing = { ...settlement, standing: settle(settlement, TODAY), last: '2026-02', unbilled }
    const shown = financialsOf({ ...facts(), billing }, billingCycle(TODAY), AT)
    const february = { start: '2026-02-01', end: '2026-02-28' }
    expect(shown.invoices).toEqual([
      { invoice_id: 'inv_2026_03', period: billingCycle(TODAY), amount: 107, status: 'draft' },
      { invoice_id: '2026-02-0001', period: february, amount: 100, status: 'void' },
    ])
    const notes = [{ invoice_id: '2026-02-0001-C1', amount: 100, issued_on: '2026-03-04' }]
    expect(shown.ext).toMatchObject({ invoices: [{ invoice_id: '2026-02-0001', open: 0, credit_notes: notes }] })
  })

  it('tells the balance of a prepaid account and its last top-up', () => {
    const { balance, credit } = of({ payment_terms: 'prepay', credit_limit: { amount: 9, currency: 'USD' } }, [
      usd('2026-01-01', 250),
      usd('2026-02-01', 50),
    ])
    expect(balance).toEqual({ available: 93, last_top_up: { amount: 50, date: '2026-02-01' } })
    expect(credit).toBeUndefined()
    expect(of({ payment_terms: 'prepay' }).balance).toEqual({ available: 0 })
  })

  it('keeps other currencies apart', () => {
    const mixed = { ...facts(), charges: [...CHARGES, usd('2026-03-03', 9, 'EUR')] }
    const shown = financialsOf(
      { ...mixed, account: account({ credit_limit: { amount: 9, currency: 'USD' } }) },
      billingCycle(TODAY),
      AT,
    )
    expect(shown).toMatchObject({ currency: 'USD', spend: { total_spend: 7 } })
    const march = { invoice_id: 'inv_2026_03', period: billingCycle(TODAY), amount: 9, status: 'draft' }
    expect(shown.ext).toEqual({ other_currencies: [{ currency: 'EUR', total_spend: 9, owed: 9, invoices: [march] }] })
  })

  it('a payment or a charge in another currency hides nothing that is owed', () => {
    const paid = of({ payment_terms: 'net_15' }, [usd('2026-03-10', 1000, 'EUR')])
    expect(paid).toMatchObject({
      ...{ currency: 'USD', payment_status: 'past_due' },
      invoices: [{ status: 'draft' }, { amount: 100, status: 'past_due' }, { amount: 100, status: 'past_due' }],
      ext: { other_currencies: [{ currency: 'EUR', total_spend: 0, owed: -1000 }] },
    })
    // The answer is in the currency that is longest overdue; what is overdue in another one makes the account overdue too.
    const charges = [...CHARGES, usd('2026-01-02', 5, 'EUR'), usd('2026-03-12', 9, 'EUR')]
    const own = [usd('2026-02-20', 200)]
    const both = financialsOf({ ...facts({ payment_terms: 'net_15' }, own), charges }, billingCycle(TODAY), AT)
    expect([both.currency, both.payment_status]).toEqual(['EUR', 'past_due'])
    expect(both.invoices.map(({ amount, status }) => [amount, status])).toEqual([
      [9, 'draft'],
      [5, 'past_due'],
    ])
    const credit_limit = { amount: 400, currency: 'USD' }
    const limited = financialsOf({ ...facts({ payment_terms: 'net_15', credit_limit }, own), charges }, billingCycle(TODAY), AT)
    expect([limited.currency, limited.payment_status]).toEqual(['USD', 'past_due'])
    expect(limited.ext).toMatchObject({ other_currencies: [{ currency: 'EUR', owed: 14, invoices: both.invoices }] })
  })

  it('a prepaid account that nothing was bought in is told in the currency of its top-up, and one with an order in that of the order', () => {
    const empty = { ...facts({ payment_terms: 'prepay' }, [usd('2026-03-10', 1000, 'EUR')]), charges: [] }
    expect(financialsOf(empty, billingCycle(TODAY), AT)).toMatchObject({ currency: 'EUR', balance: { available: 1000 } })
    const ordered = financialsOf({ ...empty, orderCurrency: 'SEK' }, billingCycle(TODAY), AT)
    expect(ordered).toMatchObject({ currency: 'SEK', balance: { available: 0 }, ext: { other_currencies: [{ owed: -1000 }] } })
  })

  it('are shown to the agent that declared the account, and for operator billing alone', () => {
    const ask = (document: Partial<AccountDocument>, principal: string) => () => requireFinancials(account(document), principal)
    expect(ask({}, 'buyer')).not.toThrow()
    expect(ask({}, 'guest')).toThrowError(expect.objectContaining({ code: 'INSUFFICIENT_PERMISSIONS' }))
    expect(ask({ billing: 'agent' }, 'buyer')).toThrowError(expect.objectContaining({ code: 'UNSUPPORTED_FEATURE' }))
  })
})
