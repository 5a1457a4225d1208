import { afterAll, beforeAll, expect, it } from 'vitest'
import { addPayment } from '../../src/operator/accounts/account-money.ts'
import { allPages } from '../../src/operator/all-pages.ts'
import { ageingCsv, showAgeing } from '../../src/operator/billing/ageing.ts'
import { recordPayment } from '../../src/operator/billing/invoice-payments.ts'
import { readJournal } from '../../src/operator/billing/journal.ts'
import { listInvoices } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { insertInvoice, insertMonth } from '../../src/store/billing/invoices.ts'
import { signedIn } from '../support/console-client.ts'
import { sampleInvoice, sampleLine } from '../support/invoice-samples.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let account: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  account = (await agent.buyer.call('list_accounts')).data.accounts[0].account_id
  const entity = { billing_entity: { legal_name: 'Kaffe, "AB"', vat_id: 'SE111111111101' } }
  const write = (invoiceId: string, accountId: string, amount: number, dueOn: string) => ({
    invoice: {
      ...{
        invoiceId,
        accountId,
        dueOn,
        month: '2026-01',
        currency: 'EUR',
        account: accountId === account ? {} : entity,
        createdAt: '2026-02-02T12:00:00.000Z',
      },
      ...{ totalMicros: amount * 1e6, payableMicros: amount * 1e6 },
    },
    ...{ lines: [], document: sampleInvoice({ tax: { kind: 'outside_scope' } }, [sampleLine(amount * 1e6)]) },
  })
  await agent.server.store.transaction(async (tx) => {
    await insertMonth(tx, agent.tenant, '2026-01', { now: new Date('2026-02-02T12:00:00.000Z'), by: 'ada' })
    for (const each of [
      write('2026-01-0001', account, 100, '2026-03-04'),
      write('2026-01-0002', account, 40, '2026-06-30'),
      write('2026-01-0003', 'direct:Kaffe, "AB"', 250, '2026-04-20'),
    ])
      await insertInvoice(tx, agent.tenant, each)
  })
  agent.setClock('2026-06-10T12:00:00Z')
  await performAs(operator, agent.tenant, addPayment, { account, amount: '30', currency: 'EUR', date: '2026-05-20' })
  await performAs(operator, agent.tenant, addPayment, { account, amount: '12', currency: 'USD', date: '2026-05-20' })
})
afterAll(() => agent.stop())

const ageing = (members: object = {}) => performAs(operator, agent.tenant, showAgeing, { ...members })

it('has open items by customer and age, and comes to what the list of invoices and the journal say', async () => {
  const { items, totals, on } = await ageing()
  expect(on).toBe('2026-06-10')
  const kaffe = {
    account: 'direct:Kaffe, "AB"',
    account_name: 'Kaffe, "AB"',
    vat_id: 'SE111111111101',
    country: 'SE',
    currency: 'EUR',
    invoices: 1,
  }
  expect(items).toEqual([
    { ...kaffe, not_due: 0, days_1_30: 0, days_31_60: 250, days_61_90: 0, over_90: 0, open: 250, credit: 0, balance: 250 },
    expect.objectContaining({ account, invoices: 2, not_due: 40, over_90: 70, open: 110, credit: 0, balance: 110 }),
    expect.objectContaining({ account, currency: 'USD', invoices: 0, open: 0, credit: 12, balance: -12 }),
  ])
  expect(totals).toMatchObject([
    { currency: 'EUR', invoices: 3, not_due: 40, days_31_60: 250, over_90: 70, open: 360, balance: 360 },
    { currency: 'USD', credit: 12, balance: -12 },
  ])
  const { open } = await performAs(operator, agent.tenant, listInvoices, {})
  expect(open).toEqual([{ currency: 'EUR', open: 360, overdue: 320 }])
  const { items: booked } = await performAs(operator, agent.tenant, readJournal, { first: '2026-02-01', last: '2026-06-10' })
  const receivable = (of: string) =>
    booked
      .filter(({ currency }) => currency === of)
      .flatMap(({ entries }) => entries)
      .reduce((sum, each) => (each.ledger_account === 'receivables' ? sum + each.debit - each.credit : sum), 0)
  expect(totals.map(({ currency, balance }) => [currency, balance])).toEqual([
    ['EUR', receivable('EUR')],
    ['USD', receivable('USD')],
  ])
})

it('reads another day as it was, one customer alone, and page by page', async () => {
  const before = await ageing({ on: '2026-05-01' })
  expect(before.items).toMatchObject([
    { account: 'direct:Kaffe, "AB"', days_1_30: 250 },
    { account, not_due: 40, days_31_60: 100, credit: 0 },
  ])
  expect((await ageing({ account })).items.map(({ currency }) => currency)).toEqual(['EUR', 'USD'])
  const whole = await allPages((cursor) => ageing({ limit: 1, ...(cursor !== undefined && { cursor }) }))
  expect(whole).toEqual((await ageing()).items)
  await expect(ageing({ on: '2026-06-11' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'on' })
})

it('is a page and a file, with names that a spreadsheet reads as they are', async () => {
  const ada = await signedIn(agent, 'ada', 'viewer', agent.tenant)
  const base = `/console/t/${agent.tenant}/billing`
  const { text } = await ada.get(`${base}/ageing`)
  const read = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  expect(read).toMatch(/on 10 Jun 2026 \. .* Kaffe, &quot;AB&quot; SE111111111101 1 open invoice – – €250.00 – – €250.00 €250.00/)
  expect(text).toContain(`${base}?account=${account}`)
  expect((await ada.get(`${base}?account=${account}`)).text).not.toContain('2026-01-0003')
  expect((await ada.get(`${base}/ageing?on=2027-01-01`)).text).toContain('is to come')
  const file = await ada.get(`${base}/ageing.csv?on=2026-06-10`)
  expect(file.text).toBe(ageingCsv((await ageing()).items))
  expect(file.text.split('\r\n')[1]).toBe('"direct:Kaffe, ""AB""","Kaffe, ""AB""",SE111111111101,SE,EUR,1,0,0,250,0,0,250,0,250')
})

it('has every customer that was ever invoiced or paid where all are asked for', async () => {
  agent.setClock('2026-06-12T12:00:00Z')
  await performAs(operator, agent.tenant, recordPayment, { invoice: '2026-01-0003', amount: '250' })
  const open = async (members: object) => (await ageing(members)).items.map((item) => [item.account, item.open])
  expect(await open({ account: 'direct:Kaffe, "AB"' })).toEqual([])
  expect(await open({ account: 'direct:Kaffe, "AB"', all: true })).toEqual([['direct:Kaffe, "AB"', 0]])
  expect((await ageing({ all: true })).items).toHaveLength(3)
  expect((await ageing({ all: true })).totals).toEqual((await ageing()).totals)
  const ada = await signedIn(agent, 'bea', 'viewer', agent.tenant)
  const { text } = await ada.get(`/console/t/${agent.tenant}/billing/ageing?all=true`)
  expect(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toMatch(
    /Kaffe, &quot;AB&quot; SE111111111101 0 open invoices – – – – – – €0.00/,
  )
})
