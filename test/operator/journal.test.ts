import { afterAll, beforeAll, expect, it } from 'vitest'
import { addPayment, takeBackAccountPayment } from '../../src/operator/accounts/account-money.ts'
import { allPages } from '../../src/operator/all-pages.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { recordPayment, takeBackPayment } from '../../src/operator/billing/invoice-payments.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { readJournal } from '../../src/operator/billing/journal.ts'
import { listInvoices } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let account: string
const [MARCH, APRIL] = ['2026-03-0001', '2026-04-0001']
const MAY = { first: '2026-05-01', last: '2026-05-31' }
const micros = (amount: number) => Math.round(amount * 1e6)

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  account = (await agent.buyer.call('list_accounts')).data.accounts[0].account_id
  await performAs(operator, agent.tenant, setInvoicing, { legal_name: 'Acme Media AB', tax_rules: ['*=25'] })
  // 750 in March, 250 in April.
  const bought = await agent.create({ start_time: '2026-03-02T00:00:00Z', end_time: '2026-04-11T00:00:00Z' })
  expect(bought.isError).toBe(false)
  agent.setClock('2026-05-04T12:00:00Z')
  for (const month of ['2026-03', '2026-04']) await performAs(operator, agent.tenant, closeMonth, { month })
  agent.setClock('2026-05-06T12:00:00Z')
  const paid = { invoice: MARCH, amount: '300', date: '2026-05-05', reference: 'bank 7' }
  const { payment_id: payment } = await performAs(operator, agent.tenant, recordPayment, paid)
  const credit = { invoice: MARCH, what: 'amount', position: 1, amount: '100', reason: 'a day without picture' }
  await performAs(operator, agent.tenant, creditInvoice, credit)
  agent.setClock('2026-05-07T12:00:00Z')
  await performAs(operator, agent.tenant, takeBackPayment, { invoice: MARCH, payment, reason: 'another invoice' })
  await performAs(operator, agent.tenant, addPayment, { account, amount: '40', currency: 'USD', date: '2026-05-07' })
})
afterAll(() => agent.stop())

const journal = (members: object) => performAs(operator, agent.tenant, readJournal, { ...members })

it('has each document with its bookings, by date: invoices with tax, credit notes and payments the other way round', async () => {
  const { items, next_cursor: next } = await journal({ ...MAY, receivables: '1510', revenue: '3001' })
  expect(next).toBeNull()
  const seen = items.map(({ date, document, kind, refers_to: of, entries }) => [
    ...[date, kind === 'invoice' || kind === 'credit_note' ? document : kind, of],
    entries.map(({ ledger_account: on, debit, credit, tax_code: code }) => [on, debit, credit, code]),
  ])
  expect(seen.slice(0, 4)).toEqual([
    [
      '2026-05-04',
      MARCH,
      null,
      [
        ['1510', 937.5, 0, null],
        ['3001', 0, 750, 'S'],
        ['tax', 0, 187.5, 'S'],
      ],
    ],
    [
      '2026-05-04',
      APRIL,
      null,
      [
        ['1510', 312.5, 0, null],
        ['3001', 0, 250, 'S'],
        ['tax', 0, 62.5, 'S'],
      ],
    ],
    [
      '2026-05-05',
      'payment',
      MARCH,
      [
        ['bank', 300, 0, null],
        ['1510', 0, 300, null],
      ],
    ],
    [
      '2026-05-06',
      `${MARCH}-C1`,
      MARCH,
      [
        ['1510', 0, 125, null],
        ['3001', 100, 0, 'S'],
        ['tax', 25, 0, 'S'],
      ],
    ],
  ])
  expect(seen.slice(4)).toEqual(
    expect.arrayContaining([
      [
        '2026-05-07',
        'payment_taken_back',
        MARCH,
        [
          ['1510', 300, 0, null],
          ['bank', 0, 300, null],
        ].toReversed(),
      ],
      [
        '2026-05-07',
        'payment',
        null,
        [
          ['bank', 40, 0, null],
          ['1510', 0, 40, null],
        ],
      ],
    ]),
  )
  expect(items).toHaveLength(6)
})

it('each document is balanced, and what is left on receivables is what is open', async () => {
  const { items } = await journal(MAY)
  for (const { document, entries } of items)
    expect([document, entries.reduce((sum, { debit, credit }) => sum + micros(debit) - micros(credit), 0)]).toEqual([document, 0])
  const receivable = items
    .flatMap(({ entries }) => entries)
    .filter(({ ledger_account: on }) => on === 'receivables')
    .reduce((sum, { debit, credit }) => sum + micros(debit) - micros(credit), 0)
  const { open } = await performAs(operator, agent.tenant, listInvoices, {})
  expect(receivable).toBe(micros(open[0]?.open ?? 0))
})

it('pages hold the same documents, and other days none of them', async () => {
  const whole = await journal(MAY)
  const paged = await allPages((cursor) => journal({ ...MAY, limit: 1, ...(cursor !== undefined && { cursor }) }))
  expect(paged).toEqual(whole.items)
  expect((await journal({ first: '2026-05-08', last: '2026-05-31' })).items).toEqual([])
  await expect(journal({ first: '2026-05-31', last: '2026-05-01' })).rejects.toMatchObject({ field: 'first' })
})

it('is CSV with a row a booking', async () => {
  const csv = readJournal.command?.csv?.(await journal(MAY)) ?? ''
  const [head = '', first = '', ...rows] = csv.trim().split('\r\n')
  expect(head.split(',').slice(9, 13)).toEqual(['ledger_account', 'debit', 'credit', 'currency'])
  expect(first).toContain(`2026-05-04,${MARCH},invoice,,2026-03,2026-06-03,`)
  expect(first).toContain(',receivables,937.5,0,USD,,')
  expect(rows).toHaveLength(14)
})

it('a payment into an account that was taken back is booked back on that day', async () => {
  agent.setClock('2026-06-02T12:00:00Z')
  const paid = { account, amount: '15', currency: 'USD', date: '2026-06-01', reference: 'bank 9' }
  const { payment_id: payment } = await performAs(operator, agent.tenant, addPayment, paid)
  agent.setClock('2026-06-03T12:00:00Z')
  await performAs(operator, agent.tenant, takeBackAccountPayment, { account, payment, reason: 'another account' })
  const { items } = await journal({ first: '2026-06-01', last: '2026-06-30' })
  expect(items).toMatchObject([
    { date: '2026-06-01', document: payment, kind: 'payment', entries: [{ debit: 15 }, { credit: 15 }] },
    { date: '2026-06-03', document: payment, kind: 'payment_taken_back', account, reference: 'bank 9' },
  ])
  expect(items[1]?.entries.map(({ ledger_account: on, debit, credit }) => [on, debit, credit])).toEqual([
    ['bank', 0, 15],
    ['receivables', 15, 0],
  ])
})
