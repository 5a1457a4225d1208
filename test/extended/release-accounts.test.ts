import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

describe.each(LINES.filter((line) => line !== '3.0'))('settings of an existing account under AdCP %s', (line) => {
  const operator = `agency${line.replace('.', '')}.example`
  const parties = { brand: { domain: 'settled.example' }, operator }
  const config = { subscriber_id: 'first', url: 'https://buyer.example/hook', event_types: ['creative.purged'], active: false }
  const sync = (entry: object, more: object = {}) => agent.ask(line, 'sync_accounts', { accounts: [entry], ...more })
  const accountId = async () => (await sync({ ...parties, sandbox: true, billing: 'operator' })).data.accounts[0].account_id

  test('change by its id, and what the entry does not mention stays', async () => {
    const account_id = await accountId()
    const { data } = await sync({ account: { account_id }, payment_terms: 'net_30' })
    expect(data.accounts).toEqual([
      expect.objectContaining({
        account_id,
        ...parties,
        action: 'updated',
        status: 'active',
        billing: 'operator',
        payment_terms: 'net_30',
      }),
    ])
    expect(data.ext?.ignored_members).toBeUndefined()
    const named = await sync({ account: { ...parties, sandbox: true }, notification_configs: [config] })
    expect(named.data.accounts[0]).toMatchObject({
      account_id,
      action: 'updated',
      payment_terms: 'net_30',
      notification_configs: [config],
    })
    const again = await sync({ account: { account_id }, payment_terms: 'net_30' })
    expect(again.data.accounts[0]).toMatchObject({ action: 'unchanged', notification_configs: [config] })
  })

  test('a dry run shows the change and stores nothing', async () => {
    const account_id = await accountId()
    const dry = await sync({ account: { account_id }, payment_terms: 'net_90' }, { dry_run: true })
    expect(dry.data.accounts[0]).toMatchObject({ action: 'updated', payment_terms: 'net_90' })
    const { data } = await agent.ask(line, 'list_accounts')
    expect(data.accounts.find((each: { account_id: string }) => each.account_id === account_id).payment_terms).not.toBe('net_90')
  })

  test('an entry that names an account makes none', async () => {
    const account = { brand: { domain: 'none.example' }, operator, sandbox: true }
    const { data } = await sync({ account, payment_terms: 'net_30' })
    const errors = [expect.objectContaining({ code: 'UNSUPPORTED_PROVISIONING', field: 'account' })]
    expect(data.accounts[0]).toMatchObject({ brand: account.brand, operator, action: 'failed', errors })
    const unknown = await sync({ account: { account_id: 'acc_of_nobody' }, payment_terms: 'net_30' })
    expect(unknown.data.adcp_error).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', field: 'accounts[0].account' })
  })

  test('an account that is named and declared in one call is one account', async () => {
    const account_id = await accountId()
    const accounts = [
      { ...parties, sandbox: true, billing: 'operator' },
      { account: { account_id }, payment_terms: 'net_30' },
    ]
    const { data } = await agent.ask(line, 'sync_accounts', { accounts })
    expect(data.accounts[1]).toMatchObject({ action: 'failed', errors: [expect.objectContaining({ code: 'VALIDATION_ERROR' })] })
  })

  test('delete_missing closes none that is named', async () => {
    const account_id = await accountId()
    const { data } = await sync({ account: { account_id } }, { delete_missing: true })
    expect(data.accounts[0]).toMatchObject({ account_id, action: 'unchanged', status: 'active' })
    const listed = await agent.ask(line, 'list_accounts', { status: 'active' })
    expect(listed.data.accounts.map((each: { account_id: string }) => each.account_id)).toEqual([account_id])
  })
})

test('a call under AdCP 3.0 has to declare the account', async () => {
  const { data } = await agent.ask('3.0', 'sync_accounts', {
    accounts: [{ account: { account_id: 'acc_1' }, payment_terms: 'net_30' }],
  })
  expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'accounts[0].brand' })
})
