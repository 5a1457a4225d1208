import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveAccountGrant } from '../../src/store/account/account-grants.ts'
import { findPublicTenant, saveTenantSettings } from '../../src/store/identity/tenants.ts'
import type { AgentClient } from '../support/client.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const BRIEF = { buying_mode: 'brief', brief: 'outdoor and video in the north' }
const finalize = (proposalId: string, extra: object = {}) => ({
  buying_mode: 'refine',
  refine: [{ scope: 'proposal', proposal_id: proposalId, action: 'finalize' }],
  ...extra,
})

let agent: TestAgent
let buyer: AgentClient
let proposalId: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  buyer = agent.client(
    await agent.addBuyer({ principal: 'planner', tenant: agent.tenant, scopes: ['adcp:products', 'adcp:accounts'] }),
  )
  proposalId = (await buyer.call('get_products', BRIEF)).data.proposals[0].proposal_id
})
afterAll(() => agent.stop())

const withScopes = async (principal: string, ...scopes: string[]) =>
  agent.client(await agent.addBuyer({ principal, tenant: agent.tenant, scopes }))

describe('a key without the scope adcp:products', () => {
  it('sees what everybody sees: no prices, no proposals', async () => {
    const other = await withScopes('no-products', 'adcp:media_buys')
    for (const request of [BRIEF, { buying_mode: 'wholesale' }]) {
      const full = (await buyer.call('get_products', request)).data
      const limited = (await other.call('get_products', request)).data
      const anonymous = (await agent.client().call('get_products', request)).data
      expect(JSON.stringify(full.products)).toMatch(/"(fixed_price|floor_price)"/)
      expect(JSON.stringify(limited)).not.toMatch(/"(fixed_price|floor_price)"/)
      expect(limited.proposals).toBeUndefined()
      const { pagination: _own, ...rest } = limited
      const { pagination: _theirs, ...same } = anonymous
      expect(rest).toEqual(same)
    }
  })

  it('finalizes and refines nothing', async () => {
    const other = await withScopes('no-products-2', 'adcp:media_buys')
    const { data } = await other.call('get_products', finalize(proposalId))
    expect(data.adcp_error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', message: expect.stringContaining('adcp:products') })
  })
})

describe('to refine or finalize a proposal is a change', () => {
  it('that a key with the scope may make', async () => {
    const { data } = await buyer.call('get_products', finalize(proposalId))
    expect(data.refinement_applied).toMatchObject([{ scope: 'proposal', status: 'applied' }])
  })

  it('that has to be signed where changes have to be; to read has not', async () => {
    const tenant = await findPublicTenant(agent.server.store.read)
    const settings = tenant?.settings ?? {}
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { ...settings, signingProfile: '3.1' }))
    const refused = await buyer.call('get_products', finalize(proposalId))
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Signature error="request_signature_required"',
    ])
    expect((await buyer.call('get_products', BRIEF)).status).toBe(200)
    const declared = (await buyer.call('get_adcp_capabilities')).data.request_signing
    expect(declared.supported_for).toContain('get_products')
    expect(declared.required_for).not.toContain('get_products')
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, settings))
  })

  it('that a read-only grant does not allow, with the account named or not', async () => {
    const account = { brand: { domain: 'shared.example' }, operator: 'shared.example' }
    const idempotency_key = crypto.randomUUID()
    const declared = await buyer.call('sync_accounts', { idempotency_key, accounts: [{ ...account, billing: 'operator' }] })
    const { account_id: accountId } = declared.data.accounts[0]
    const reader = await withScopes('reader', 'adcp:*')
    const grant = { tenantId: agent.tenant, accountId, principalId: 'reader', readOnly: true, allowedTasks: undefined }
    await agent.server.store.transaction((tx) => saveAccountGrant(tx, grant, new Date()))
    for (const extra of [{ account: { account_id: accountId } }, {}]) {
      const { data } = await reader.call('get_products', finalize(proposalId, extra))
      expect(data.adcp_error).toMatchObject({ code: 'READ_ONLY_SCOPE' })
      expect((await reader.call('get_products', { ...BRIEF, ...extra })).isError).toBe(false)
    }
  })

  it('whatever else stands in refine, the answer names the field', async () => {
    for (const refine of [5, null, {}, 'proposal', [null], [5], [[]], [{ scope: ['proposal'] }]]) {
      const { data } = await buyer.call('get_products', { buying_mode: 'refine', refine })
      expect([refine, data.adcp_error?.code]).toEqual([refine, 'INVALID_REQUEST'])
    }
  })
})
