import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import {
  governanceQueryPlace,
  governanceSealPlace,
  listGovernanceAgents,
} from '../../../src/store/governance/governance-agents.ts'
import { sealGovernanceQueries } from '../../../src/store/governance/seal-queries.ts'
import { CREDENTIAL } from '../../support/fake-governance-agent.ts'
import { agentEntry } from '../../support/governed-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { tablesWith } from '../../support/stored-texts.ts'

let agent: MediaBuyAgent
let log = ''

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], {
    onLog: (line) => {
      log += line
    },
  })
})
afterAll(() => agent.stop())

const URL_A = 'https://a.governance.example/mcp'
const URL_B = 'https://b.governance.example/mcp'
const sync = (accounts: readonly object[], client = agent.buyer) =>
  client.call('sync_governance', { idempotency_key: randomUUID(), accounts })
const entry = (...agents: readonly object[]) => ({ account: ACCOUNT, governance_agents: agents })

async function stored() {
  const { data } = await agent.buyer.call('list_accounts', {})
  return {
    account: data.accounts[0],
    rows: await listGovernanceAgents(agent.server.store.read, 'acme', data.accounts[0].account_id),
  }
}

describe('sync_governance', () => {
  it('replaces the agents of an account; their credentials go in and never come out', async () => {
    await sync([entry(agentEntry(URL_A), agentEntry(URL_B))])
    const { data } = await sync([entry(agentEntry(URL_B))])
    expect(data.accounts).toEqual([
      { account: ACCOUNT, status: 'synced', governance_agents: [{ url: URL_B, categories: ['budget_authority'] }] },
    ])
    const { account, rows } = await stored()
    expect(account.governance_agents).toEqual([{ url: URL_B, categories: ['budget_authority'] }])
    expect(rows.map(({ url }) => url)).toEqual([URL_B])
    const tables = await agent.server.store.read.introspection.getTables()
    for (const { name } of tables) {
      const all = await agent.server.store.read
        .selectFrom(name as 'accounts')
        .selectAll()
        .execute()
      expect(JSON.stringify(all), name).not.toContain(CREDENTIAL)
    }
    expect(JSON.stringify([data, account])).not.toContain(CREDENTIAL)
    expect(log).not.toContain(CREDENTIAL)
  })

  it('stores and shows no query of an address, and seals those that were stored before', async () => {
    const url = `${URL_A}?key=query-secret-0123456789`
    const { data } = await sync([entry(agentEntry(url))])
    expect(data.accounts[0].governance_agents[0].url).toBe(URL_A)
    const { store } = agent.server
    expect(await tablesWith(store, 'query-secret-0123456789')).toEqual([])
    const { rows, account } = await stored()
    expect(rows[0]).toMatchObject({ url: URL_A, query: expect.stringMatching(/^v1\./) })

    const box = createSecretBox('a secret of the test', 'governance-credentials')
    const before = box.seal('x'.repeat(20), governanceSealPlace('acme', account.account_id, url))
    await store.transaction(async (tx) => {
      await tx.updateTable('account_governance_agents').set({ url, query: null, credentials: before }).execute()
      const { document } = await tx.selectFrom('accounts').select('document').executeTakeFirstOrThrow()
      await tx
        .updateTable('accounts')
        .set({ document: document.replaceAll(`"${URL_A}"`, `"${url}"`) })
        .execute()
    })
    expect(await tablesWith(store, 'query-secret-0123456789')).toEqual(['account_governance_agents', 'accounts'])
    await store.transaction((tx) => sealGovernanceQueries(tx, { seal: box.seal, open: box.open }))
    expect(await tablesWith(store, 'query-secret-0123456789')).toEqual([])
    const [row] = (await stored()).rows
    const open = (sealed = '', place = '') => box.open(sealed, place)
    expect(open(row?.credentials, governanceSealPlace('acme', account.account_id, URL_A))).toBe('x'.repeat(20))
    expect(open(row?.query, governanceQueryPlace('acme', account.account_id, URL_A))).toBe('key=query-secret-0123456789')
  })

  it('survives a new declaration of the account', async () => {
    await sync([entry(agentEntry(URL_A))])
    await agent.run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator', payment_terms: 'net_30' }] })
    const { account, rows } = await stored()
    expect(account.governance_agents).toHaveLength(1)
    expect(rows).toHaveLength(1)
  })

  it('syncs each account for itself: one that is not the caller’s fails alone', async () => {
    const unknown = { account: { account_id: 'acc_unknown' }, governance_agents: [agentEntry(URL_A)] }
    const { data } = await sync([unknown, entry(agentEntry(URL_A))])
    expect(data.accounts).toMatchObject([
      { status: 'failed', errors: [{ code: 'ACCOUNT_NOT_FOUND', field: 'accounts[0].account' }] },
      { status: 'synced' },
    ])
    expect(data.accounts[0]).not.toHaveProperty('governance_agents')
  })

  it('tells nothing of accounts of others, and changes nothing there', async () => {
    const { account } = await stored()
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const foreign = { account: { account_id: account.account_id }, governance_agents: [agentEntry(URL_B)] }
    const absent = { account: { account_id: 'acc_absent' }, governance_agents: [agentEntry(URL_B)] }
    const { data } = await sync([foreign, absent], stranger)
    expect(data.accounts[0].errors[0].message).toBe(data.accounts[1].errors[0].message)
    expect((await stored()).rows.map(({ url }) => url)).toEqual([URL_A])
  })

  it('refuses user information in an address as a credential among the arguments', async () => {
    const before = (await stored()).rows
    const { data } = await sync([entry(agentEntry(URL_B), agentEntry('https://user:pw@a.example/mcp'))])
    expect(data.adcp_error).toMatchObject({ code: 'CREDENTIAL_IN_ARGS' })
    expect((await stored()).rows).toEqual(before)
  })

  it.each([
    ['a fragment', agentEntry('https://a.example/mcp#x'), 'VALIDATION_ERROR', 'url'],
    ['an address of this machine', agentEntry('https://127.0.0.1/mcp'), 'VALIDATION_ERROR', 'url'],
    ['a local name', agentEntry('https://localhost/mcp'), 'VALIDATION_ERROR', 'url'],
    [
      'a scheme that we do not speak',
      { url: URL_A, authentication: { schemes: ['HMAC-SHA256'], credentials: CREDENTIAL } },
      'UNSUPPORTED_FEATURE',
      'authentication.schemes',
    ],
    [
      'a credential that fits into no header',
      { url: URL_A, authentication: { schemes: ['Bearer'], credentials: `${CREDENTIAL}\r\nx: y` } },
      'VALIDATION_ERROR',
      'authentication.credentials',
    ],
  ])('refuses %s, and keeps what was there', async (_what, wrong, code, field) => {
    const before = (await stored()).rows
    const { data } = await sync([entry(agentEntry(URL_B), wrong)])
    expect(data.accounts[0]).toMatchObject({
      status: 'failed',
      errors: [{ code, field: `accounts[0].governance_agents[1].${field}` }],
    })
    expect(JSON.stringify(data)).not.toContain(CREDENTIAL)
    expect((await stored()).rows).toEqual(before)
  })

  it('refuses an agent twice', async () => {
    const { data } = await sync([entry(agentEntry(URL_B), agentEntry(URL_B))])
    expect(data.accounts[0].errors[0].code).toBe('VALIDATION_ERROR')
  })

  it('is idempotent', async () => {
    const args = { idempotency_key: 'sync-governance-0001', accounts: [entry(agentEntry(URL_A))] }
    const first = await agent.buyer.call('sync_governance', args)
    const again = await agent.buyer.call('sync_governance', args)
    expect(again.data).toMatchObject({ replayed: true, accounts: first.data.accounts })
  })

  it('refuses plain http by the schema', async () => {
    const { data } = await sync([entry(agentEntry('http://a.example/mcp'))])
    expect(data.adcp_error.code).toBe('INVALID_REQUEST')
  })
})
