import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getGrant, saveGrant } from '../../../src/store/rights/rights-grants.ts'
import { decideRightsChange, revokeRights } from '../../../src/tasks/brand/decide-rights.ts'
import { ACCOUNT, type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

let agent: BrandAgent
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startBrandAgent({ sandbox: true, webhooks: { limits: { pollMs: 20 } } }, `${receiver.origin}/revoked`)
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

describe('revoking rights', () => {
  it('tells the holder at its webhook, with its own secret, and ends the grant', async () => {
    const buyer = await agent.buyerOn(ACCOUNT, { principal: 'sandbox-buyer', sandbox: true })
    const authentication = { schemes: ['Bearer'], credentials: 'a-secret-of-at-least-32-characters-xx' }
    const revocation_webhook = { url: `${receiver.origin}/revoked`, authentication }
    const { data } = await agent.acquire({ revocation_webhook }, buyer)
    expect(data.status).toBe('acquired')
    const { store, services, webhooks } = agent.server
    const now = new Date(START)
    const part = { reason: 'voice only', effectiveAt: now, uses: ['voice'] } as const
    await revokeRights(store, agent.tenant, data.rights_id, { reason: 'scandal', effectiveAt: now }, now)
    services.webhooks.wake()
    await webhooks.dispatcher.idle()
    const [told] = await receiver.expect('/revoked', 1)
    expect(told?.body).toEqual({
      idempotency_key: expect.stringMatching(/^whk_/),
      rights_id: data.rights_id,
      brand_id: 'heron',
      reason: 'scandal',
      effective_at: '2026-03-01T12:00:00.000Z',
    })
    expect(told?.headers.authorization).toBe(`Bearer ${authentication.credentials}`)
    expect((await fetch(data.rights_constraint.verification_url)).status).toBe(404)
    const update = await agent.run('update_rights', { rights_id: data.rights_id, paused: false }, buyer)
    expect(update.data.adcp_error).toMatchObject({ code: 'INVALID_STATE', field: 'rights_id' })
    await expect(revokeRights(store, agent.tenant, data.rights_id, part, now)).rejects.toThrow(/revoked already/)
  })

  it('can take back some uses: new keys, and the rest stands', async () => {
    const buyer = await agent.buyerOn(ACCOUNT, { principal: 'sandbox-two', sandbox: true })
    const { data } = await agent.acquire({ campaign: { uses: ['likeness', 'commercial'] } }, buyer)
    const now = new Date(START)
    const grant = await revokeRights(
      agent.server.store,
      agent.tenant,
      data.rights_id,
      { reason: 'x', effectiveAt: now, uses: ['commercial'] },
      now,
    )
    expect([grant.agreement.uses, grant.revokedAt, grant.credentialVersion]).toEqual([['likeness'], undefined, 2])
    agent.server.services.webhooks.wake()
    await agent.server.webhooks.dispatcher.idle()
    const all = await receiver.expect('/revoked', 2)
    expect(all.at(-1)?.body).toMatchObject({ rights_id: data.rights_id, revoked_uses: ['commercial'] })
  })
})

it('a change that the rights holder declines: the webhook of the change gets the reason', async () => {
  const buyer = await agent.buyerOn(ACCOUNT, { principal: 'sandbox-change', sandbox: true })
  const { data } = await agent.acquire({ campaign: { start_date: '2027-01-01', end_date: '2027-01-31' } }, buyer)
  const { store, services, webhooks } = agent.server
  const now = new Date(START)
  const grant = await getGrant(store.read, { tenantId: agent.tenant, principalId: 'sandbox-change' }, data.rights_id)
  const clearance = { ...grant.agreement.offering.clearance, approval: 'manual' as const }
  const agreement = { ...grant.agreement, offering: { ...grant.agreement.offering, clearance } }
  await store.transaction((tx) => saveGrant(tx, agent.tenant, { ...grant, agreement }, now))
  const push_notification_config = { url: `${receiver.origin}/change` }
  const change = { rights_id: data.rights_id, end_date: '2027-02-28', push_notification_config }
  const asked = await agent.run('update_rights', change, buyer)
  expect(asked.data).toMatchObject({ status: 'submitted', implementation_date: null })
  const decision = { approve: false, reason: 'the figure retires', suggestions: [] } as const
  await decideRightsChange({ ...services, store }, agent.tenant, data.rights_id, decision, now)
  services.webhooks.wake()
  await webhooks.dispatcher.idle()
  const [told] = await receiver.expect('/change', 1)
  expect(told?.body).toMatchObject({ task_id: asked.data.task_id, task_type: 'acquire_rights', status: 'rejected' })
  expect(JSON.stringify(told?.body)).toContain('the figure retires')
})
