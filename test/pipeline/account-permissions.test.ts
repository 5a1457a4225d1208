import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeAccountGrant, saveAccountGrant } from '../../src/store/account/account-grants.ts'
import type { AgentClient } from '../support/client.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const brand = (domain: string) => ({ brand: { domain }, operator: domain })
const declare = (client: AgentClient, domain: string) =>
  client.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...brand(domain), billing: 'operator' }] })

let agent: TestAgent
let partner: AgentClient
let accountId: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  partner = agent.client(await agent.addBuyer({ principal: 'partner', tenant: agent.tenant }))
  const owner = agent.client(await agent.addBuyer({ principal: 'owner', tenant: agent.tenant }))
  accountId = (await declare(owner, 'shared.example')).data.accounts[0].account_id
  owners = owner
})
afterAll(() => agent.stop())
let owners: AgentClient

const grant = (principalId: string, permission: { readOnly?: boolean; allowedTasks?: readonly string[] } = {}) =>
  agent.server.store.transaction((tx) =>
    saveAccountGrant(
      tx,
      { tenantId: agent.tenant, accountId, principalId, readOnly: false, allowedTasks: undefined, ...permission },
      new Date(),
    ),
  )
const revoke = (principalId: string) =>
  agent.server.store.transaction((tx) => removeAccountGrant(tx, agent.tenant, accountId, principalId))

/** A media buy on the shared account; which product is of no account, since permission is decided before. */
const buy = (client: AgentClient, account: object = { account_id: accountId }) =>
  client.call('create_media_buy', {
    idempotency_key: randomUUID(),
    account,
    brand: { domain: 'shared.example' },
    start_time: 'asap',
    end_time: new Date(Date.now() + 14 * 86_400_000).toISOString(),
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  })

describe('an account that another agent declared', () => {
  it('is as good as absent without a grant', async () => {
    const reply = await buy(partner)
    const absent = await buy(partner, { account_id: `acc_${randomUUID()}` })
    // The message quotes the id that was sent.
    const withoutId = ({ message, ...error }: { message: string }) => ({
      ...error,
      message: message.replace(/acc_[0-9a-f-]+/, ''),
    })
    expect(withoutId(reply.data.adcp_error)).toEqual(withoutId(absent.data.adcp_error))
    expect(reply.data.adcp_error.code).toBe('ACCOUNT_NOT_FOUND')
    expect((await partner.call('list_accounts')).data.accounts).toEqual([])
  })

  it('can be used by grant; each agent sees what it bought itself', async () => {
    await grant('partner')
    expect((await partner.call('list_accounts')).data.accounts.map((each: { account_id: string }) => each.account_id)).toEqual([
      accountId,
    ])
    const bought = await buy(partner)
    expect(bought.data.media_buy_id).toBeDefined()
    const query = { account: { account_id: accountId }, media_buy_ids: [bought.data.media_buy_id] }
    expect((await partner.call('get_media_buys', query)).data.media_buys).toHaveLength(1)
    expect((await owners.call('get_media_buys', query)).data.media_buys).toHaveLength(0)
    expect((await buy(partner, brand('shared.example'))).data.media_buy_id).toBeDefined()
  })

  it('declaring the same brand makes an account of its own, and leaves the shared one alone', async () => {
    const before = await agent.server.store.read.selectFrom('accounts').selectAll().where('account_id', '=', accountId).execute()
    const synced = await declare(partner, 'shared.example')
    expect(synced.data.accounts[0]).toMatchObject({ action: 'created' })
    expect(synced.data.accounts[0].account_id).not.toBe(accountId)
    expect(
      await agent.server.store.read.selectFrom('accounts').selectAll().where('account_id', '=', accountId).execute(),
    ).toEqual(before)
  })

  it('is gone again with the grant', async () => {
    await revoke('partner')
    expect((await buy(partner)).data.adcp_error.code).toBe('ACCOUNT_NOT_FOUND')
  })

  it('sandbox agents are kept out of real accounts', async () => {
    await expect(grant('demo-buyer')).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'principal' })
  })
})

describe('what an agent may do in an account', () => {
  it('read-only: reads answer, changes are READ_ONLY_SCOPE', async () => {
    await grant('owner', { readOnly: true })
    const reply = await buy(owners)
    expect(reply.status).toBe(200)
    expect(reply.data.adcp_error).toMatchObject({ code: 'READ_ONLY_SCOPE', recovery: 'correctable', field: 'account' })
    expect((await owners.call('get_media_buys', { account: { account_id: accountId } })).isError).toBe(false)
    const synced = await owners.call('sync_accounts', {
      idempotency_key: randomUUID(),
      accounts: [{ ...brand('shared.example'), billing: 'agent' }],
    })
    expect(synced.data.accounts[0]).toMatchObject({ action: 'failed', errors: [{ code: 'READ_ONLY_SCOPE' }] })
  })

  it('allowed tasks: the others are refused', async () => {
    await grant('owner', { allowedTasks: ['create_media_buy'] })
    expect((await buy(owners)).isError).toBe(false)
    const reply = await owners.call('get_media_buys', { account: { account_id: accountId } })
    expect(reply.data.adcp_error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' })
  })

  it('a call that names no account is held to the narrowest of them', async () => {
    expect((await owners.call('get_media_buys')).data.adcp_error.code).toBe('INSUFFICIENT_PERMISSIONS')
    expect((await owners.call('get_products', { buying_mode: 'brief', brief: 'video' })).isError).toBe(false)
    await revoke('owner')
    expect((await owners.call('get_media_buys')).isError).toBe(false)
  })
})
