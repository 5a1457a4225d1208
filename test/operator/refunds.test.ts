import { afterAll, beforeAll, expect, it } from 'vitest'
import { addPayment, takeBackAccountPayment } from '../../src/operator/accounts/account-money.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { readJournal } from '../../src/operator/billing/journal.ts'
import { recordRefund, showRefunds, takeBackRefund } from '../../src/operator/billing/refunds.ts'
import { listInvoices } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { signedIn } from '../support/console-client.ts'
import { formFields } from '../support/console-form.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let account: string
let payment: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  account = (await agent.buyer.call('list_accounts')).data.accounts[0].account_id
  const bought = await agent.create({ start_time: '2026-03-02T00:00:00Z', end_time: '2026-04-11T00:00:00Z' })
  expect(bought.isError).toBe(false)
  agent.setClock('2026-05-04T12:00:00Z')
  // 750 in March, 250 in April.
  for (const month of ['2026-03', '2026-04']) await performAs(operator, agent.tenant, closeMonth, { month })
})
afterAll(() => agent.stop())

const refund = (members: object) => performAs(operator, agent.tenant, recordRefund, { account, amount: '0', ...members })
const credits = async () =>
  (await performAs(operator, agent.tenant, listInvoices, {})).credits.map(({ currency, credit }) => [currency, credit])
const financials = async () => (await agent.run('get_account_financials', { account: { account_id: account } })).data

it('is at most the credit, which is less by it: nothing of it settles the next invoice', async () => {
  await expect(refund({ amount: '1' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'account' })
  payment = (await performAs(operator, agent.tenant, addPayment, { account, amount: '1300', currency: 'USD' })).payment_id
  expect(await credits()).toEqual([['USD', 300]])
  const before = (await financials()).ext
  await expect(refund({ amount: '300.01' })).rejects.toMatchObject({
    ...{ code: 'INVALID_REQUEST', field: 'amount', message: 'amount must be at most the credit, 300.00 USD' },
  })
  for (const [members, field] of [
    [{ amount: '0' }, 'amount'],
    [{ amount: '5', date: '2026-05-05' }, 'date'],
    [{ amount: '5', currency: 'EUR' }, 'currency'],
    [{ amount: '5', account: 'none' }, 'account'],
  ] as const)
    await expect(refund(members)).rejects.toMatchObject({ field })
  const made = await refund({ amount: '120.50', reference: 'bank 12' })
  expect(made).toMatchObject({ account, amount: 120.5, currency: 'USD', date: '2026-05-04', credit: 179.5, taken_back: null })
  expect(await credits()).toEqual([['USD', 179.5]])
  expect((await financials()).ext).toEqual(before)
})

it('two that ask for all of it in the same instant do not both get it', async () => {
  const results = await Promise.allSettled([refund({ amount: '179.50' }), refund({ amount: '179.50' })])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await credits()).toEqual([])
  const again = results.flatMap((each) => (each.status === 'fulfilled' ? each.value.refund_id : []))
  const taken = await performAs(operator, agent.tenant, takeBackRefund, { refund: again[0] ?? '', reason: 'not paid' })
  expect([taken.credit, taken.taken_back?.reason]).toEqual([179.5, 'not paid'])
  await expect(
    performAs(operator, agent.tenant, takeBackRefund, { refund: again[0] ?? '', reason: 'again' }),
  ).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'refund' })
})

it('a payment of which something was paid back is not taken back before the refund is', async () => {
  const takeBack = () =>
    performAs(operator, agent.tenant, takeBackAccountPayment, { account, payment, reason: 'another account' })
  await expect(takeBack()).rejects.toMatchObject({
    ...{ code: 'INVALID_STATE', field: 'payment', message: expect.stringContaining('120.50 USD of this payment was paid back') },
  })
  expect(await credits()).toEqual([['USD', 179.5]])
})

it('is in the journal, as it was taken back is, and leaves what is receivable as open less credit', async () => {
  const { items } = await performAs(operator, agent.tenant, readJournal, { first: '2026-05-01', last: '2026-05-31' })
  const booked = items
    .filter(({ kind }) => kind.startsWith('refund'))
    .map(({ kind, reference, entries }) => [
      kind,
      reference,
      entries.map((each) => [each.ledger_account, each.debit, each.credit]),
    ])
  expect(booked).toEqual(
    expect.arrayContaining([
      [
        'refund',
        'bank 12',
        [
          ['bank', 0, 120.5],
          ['receivables', 120.5, 0],
        ],
      ],
      [
        'refund',
        null,
        [
          ['bank', 0, 179.5],
          ['receivables', 179.5, 0],
        ],
      ],
      [
        'refund_taken_back',
        null,
        [
          ['bank', 179.5, 0],
          ['receivables', 0, 179.5],
        ],
      ],
    ]),
  )
  expect(booked).toHaveLength(3)
  const receivable = items
    .flatMap(({ entries }) => entries)
    .reduce((sum, each) => (each.ledger_account === 'receivables' ? sum + each.debit - each.credit : sum), 0)
  expect(receivable).toBeCloseTo(-179.5, 6)
})

it('is recorded on its page once for each form, and taken back there', async () => {
  const ada = await signedIn(agent, 'ada', 'finance', agent.tenant)
  const path = `/console/t/${agent.tenant}/billing/refunds`
  const { text: billing } = await ada.get(`/console/t/${agent.tenant}/billing`)
  expect(billing).toContain(`refunds?account=${account}&amp;currency=USD`)
  const { text } = await ada.get(`${path}?account=${account}&currency=USD`)
  const sent = Object.fromEntries(formFields(text.slice(text.indexOf('Record what was paid back')), path))
  expect(sent).toMatchObject({ customer: `USD ${account}` })
  const filled = { ...sent, amount: '79.50', reference: 'bank 13' }
  const [first, second] = [await ada.post(path, filled), await ada.post(path, filled)]
  expect([first.location, second.location].map((each) => /done=(\w+)/.exec(each ?? '')?.[1])).toEqual(['refunded', 'before'])
  expect(await credits()).toEqual([['USD', 100]])
  const { items } = await performAs(operator, agent.tenant, showRefunds, { account })
  expect(items.map(({ amount, taken_back: back }) => [amount, back === null])).toEqual(
    expect.arrayContaining([
      [79.5, true],
      [179.5, false],
      [120.5, true],
    ]),
  )
  const id = items.find(({ reference }) => reference === 'bank 13')?.refund_id ?? ''
  const back = await ada.post(`${path}/${id}/take-back`, { reason: 'not paid' })
  expect(back.location).toContain('done=takenback')
  expect(await credits()).toEqual([['USD', 179.5]])
})
