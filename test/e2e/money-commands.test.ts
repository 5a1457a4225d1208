import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { type AgentClient, agentClient } from '../support/client.ts'

const ACCOUNT = { brand: { domain: 'acme.example' }, operator: 'acme.example' }
const commands = new CommandLine()
let buyer: AgentClient
let accountId: string

beforeAll(async () => {
  const { key } = await commands.json('init', '--demo')
  const { mcpUrl } = await commands.serve()
  buyer = agentClient(mcpUrl, key)
  const call = { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator', payment_terms: 'net_30' }] }
  accountId = (await buyer.call('sync_accounts', call)).data.accounts[0].account_id
})
afterAll(() => commands.close())

const credit = async () => (await buyer.call('get_account_financials', { account: ACCOUNT })).data.credit

describe('money of an account on the command line', () => {
  it('sets and removes a credit limit that the buyer sees', async () => {
    expect(await credit()).toBeUndefined()
    const set = await commands.json('accounts', 'credit', accountId, '1500.50', '--currency', 'EUR')
    expect(set).toEqual({ account_id: accountId, credit_limit: { amount: 1500.5, currency: 'EUR' } })
    expect(await credit()).toEqual({ credit_limit: 1500.5, available_credit: 1500.5, utilization_percent: 0 })
    expect((await commands.json('accounts', 'credit', accountId, '900')).credit_limit).toEqual({ amount: 900, currency: 'EUR' })
    expect((await commands.json('accounts', 'credit', accountId, 'none')).credit_limit).toBeNull()
    expect(await credit()).toBeUndefined()
  })

  it('records payments, takes one back and lists them', async () => {
    const paid = await commands.json('accounts', 'payment', accountId, '20.5', '--date', '2026-02-28', '--reference', 'wire 7')
    expect(paid).toMatchObject({ account_id: accountId, amount: 20.5, currency: 'USD', date: '2026-02-28' })
    const { payment_id } = paid
    const row = { payment_id, date: '2026-02-28', amount: 20.5, currency: 'USD', reference: 'wire 7' }
    expect((await commands.json('accounts', 'payments', accountId)).items).toEqual([{ ...row, taken_back: null }])
    await commands.json('accounts', 'take-back-payment', accountId, payment_id, '--reason', 'another account')
    expect((await commands.json('accounts', 'payments', accountId)).items).toMatchObject([
      { ...row, taken_back: { reason: 'another account' } },
    ])
  })

  it.each([
    [['credit', 'acc_nobody', '1'], /no account acc_nobody/],
    [['payment', 'ACCOUNT', '1.0005'], /more than 2 decimal places/],
    [['payment', 'ACCOUNT', '1.005'], /amount 1.005 can be read in two ways: write 1005, or at most 2 decimals/],
    [['payment', 'ACCOUNT', '-3'], /amount must be a number|unknown option/],
    [['payment', 'ACCOUNT', '1', '--date', '2026-02-30'], /a day of the calendar/],
    [['credit', 'ACCOUNT', '1', '--currency', 'dollars'], /ISO 4217/],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await commands.run([
      'accounts',
      ...words.map((word) => (word === 'ACCOUNT' ? accountId : word)),
      '--data',
      commands.data,
    ])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(message)
  })
})
