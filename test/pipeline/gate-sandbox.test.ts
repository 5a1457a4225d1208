import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { a2aClient } from '../support/a2a-client.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
let keys: { suite: string; live: string; narrow: string }
let liveAccount: string

beforeAll(async () => {
  agent = await startReleaseAgent()
  const addBuyer = (principal: string, more: object) => agent.addBuyer({ principal, tenant: agent.tenant, ...more })
  keys = {
    suite: await addBuyer('gated-suite', { sandbox: true }),
    live: await addBuyer('live', {}),
    narrow: await addBuyer('narrow', { scopes: ['adcp:products'] }),
  }
  const declared = await agent.client(keys.live).call('sync_accounts', {
    idempotency_key: randomUUID(),
    accounts: [{ brand: { domain: 'live.example' }, operator: 'live.example', billing: 'operator' }],
  })
  liveAccount = declared.data.accounts[0].account_id
})
afterAll(() => agent.stop())

describe.each(LINES)('the compliance controller of AdCP %s', (line) => {
  const request = (more: object) => ({
    adcp_version: line,
    account: { sandbox: true },
    context: { correlation_id: 'gate' },
    idempotency_key: randomUUID(),
    ...more,
  })
  const clients = (key: string) => [agent.client(key), a2aClient(agent.url, key)]
  const refusal = { success: false, error: 'FORBIDDEN', context: { correlation_id: 'gate' } }

  it('refuses live buyers before it looks at anything, whatever their scopes', async () => {
    for (const client of [...clients(keys.live), ...clients(keys.narrow)]) {
      for (const scenario of ['list_scenarios', 'force_account_status', 'no_such_scenario']) {
        expect((await client.call('comply_test_controller', request({ scenario }))).data).toMatchObject(refusal)
      }
    }
  })

  it.each([
    [{ scenario: 'force_creative_status', params: {} }, 'creative_id'],
    [{ scenario: 'force_creative_status' }, 'params'],
    [{ scenario: 'force_media_buy_status', params: { media_buy_id: 'mb', status: 'lost' } }, 'params.status'],
    [{ scenario: 'simulate_budget_spend', params: { spend_percentage: 4 } }, 'params'],
    [{ params: {} }, 'scenario'],
  ])('answers %j, which is no good, in its own form', async (bad, named) => {
    for (const client of clients(keys.suite)) {
      const { data } = await client.call('comply_test_controller', request(bad))
      expect(data).toMatchObject({ success: false, error: 'INVALID_PARAMS', context: { correlation_id: 'gate' } })
      expect(data.error_detail).toContain(named)
      expect(data.adcp_error).toBeUndefined()
    }
  })

  it('needs no account', async () => {
    const { data } = await agent
      .client(keys.suite)
      .call('comply_test_controller', request({ scenario: 'list_scenarios', account: undefined }))
    expect(data).toMatchObject({ success: true, scenarios: expect.arrayContaining(['seed_product']) })
  })

  it('refuses what is about a live account', async () => {
    const params = { account_id: liveAccount, status: 'suspended' }
    const live = [
      { scenario: 'force_account_status', params },
      { scenario: 'list_scenarios', account: { sandbox: true, account_id: liveAccount } },
      { scenario: 'list_scenarios', account: { sandbox: false, account_id: 'any' } },
    ]
    for (const client of clients(keys.suite)) {
      for (const each of live) {
        expect((await client.call('comply_test_controller', request(each))).data).toMatchObject(refusal)
      }
      const sandbox = request({ scenario: 'list_scenarios', account: { sandbox: true, account_id: 'acct_sandbox' } })
      expect((await client.call('comply_test_controller', sandbox)).data).toMatchObject({ success: true })
    }
  })

  it('is not among the capabilities of live buyers', async () => {
    const { data } = await agent.client(keys.live).call('get_adcp_capabilities', { adcp_version: line })
    expect(data).not.toHaveProperty('compliance_testing')
  })
})
