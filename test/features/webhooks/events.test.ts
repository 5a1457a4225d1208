import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transition } from '../../../src/domain/creative/lifecycle.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { setAccountStatus } from '../../../src/store/account/tenant-accounts.ts'
import { findCreative, saveCreative } from '../../../src/store/creative/creatives.ts'
import type { Store } from '../../../src/store/database.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { approve, reject } from '../../../src/tasks/approvals/decide.ts'
import type { AgentClient } from '../../support/client.ts'
import { banner } from '../../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const schemas = new Schemas()
const payloadIssues = (body: unknown) => schemas.validator('core/mcp-webhook-payload.json')(body)
const CREDENTIALS = 'buyer-secret-for-its-webhooks-0123456789'
const AUTHENTICATION = { schemes: ['HMAC-SHA256'], credentials: CREDENTIALS }

describe('what buyers are told', () => {
  let agent: MediaBuyAgent
  let receiver: WebhookReceiver
  let sandbox: AgentClient
  const resolved = new Map<string, readonly string[]>()

  beforeAll(async () => {
    receiver = await startReceiver()
    const lookup = async (host: string) => resolved.get(host) ?? Promise.reject(new Error('no such name'))
    const products = [productDocument('news'), productDocument('host-read', { format_ids: [] })]
    agent = await startMediaBuyAgent(products, { sandbox: true, webhooks: { limits: { pollMs: 20 }, post: { lookup } } })
    sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
    // The validators are made on first use, which takes longer than any wait below.
    payloadIssues({})
    agent.server.schemas.validator('core/mcp-webhook-payload.json')({})
  })
  afterEach(() => {
    agent.setClock('2026-03-01T12:00:00Z')
  })
  afterAll(async () => {
    await agent.stop()
    await receiver.close()
  })

  const store = (): Store => agent.server.store
  const push = (path: string, more: object = {}) => ({ push_notification_config: { url: receiver.origin + path, ...more } })
  const settled = async () => {
    agent.server.webhooks.scheduler.wake()
    await agent.server.webhooks.scheduler.idle()
    agent.server.webhooks.dispatcher.wake()
    await agent.server.webhooks.dispatcher.idle()
  }

  it('tells the end of a task that was done at once, exactly once, also when the call is repeated', async () => {
    const more = { operation_id: 'op:1', token: 'buyer-validation-token' }
    const call = { idempotency_key: randomUUID(), context: { campaign: 'spring' }, ...push('/sync', more) }
    const first = await agent.create(call, sandbox)
    const [webhook] = await receiver.expect('/sync', 1)
    expect(payloadIssues(webhook?.body)).toEqual([])
    expect(webhook?.body).toMatchObject({
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      status: 'completed',
      ...more,
      context: { campaign: 'spring' },
      result: { media_buy_id: first.data.media_buy_id },
    })
    expect(webhook?.body.idempotency_key).toMatch(/^[A-Za-z0-9_.:-]{16,255}$/)

    const polled = await sandbox.call('get_task_status', { task_id: webhook?.body.task_id })
    expect(polled.data).toMatchObject({
      status: 'completed',
      has_webhook: true,
      result: { media_buy_id: first.data.media_buy_id },
    })

    const repeated = await agent.create(call, sandbox)
    expect(repeated.data).toMatchObject({ replayed: true, media_buy_id: first.data.media_buy_id })
    await settled()
    expect(receiver.at('/sync')).toHaveLength(1)
  })

  it('tells nothing of a call that failed', async () => {
    const reply = await agent.create(
      { ...push('/failed'), packages: [{ product_id: 'none', pricing_option_id: 'cpm', budget: 1 }] },
      sandbox,
    )
    expect(reply.isError).toBe(true)
    await settled()
    expect(receiver.at('/failed')).toEqual([])
  })

  it('keeps the legacy secret out of everything that can be read', async () => {
    const created = await agent.create({ ...push('/legacy', { authentication: AUTHENTICATION }) }, sandbox)
    const [webhook] = await receiver.expect('/legacy', 1)
    expect(webhook?.headers['x-adcp-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
    const task = await sandbox.call('get_task_status', { task_id: webhook?.body.task_id, include_history: true })
    expect(JSON.stringify([created.data, task.data, webhook?.body])).not.toContain(CREDENTIALS)
    for (const { name } of await store().read.introspection.getTables()) {
      const rows = await store()
        .read.selectFrom(name as 'tasks')
        .selectAll()
        .execute()
      expect(JSON.stringify(rows), name).not.toContain(CREDENTIALS)
    }
  })

  it.each([
    ['plain HTTP', 'http://buyer.example/hook'],
    ['a private address', 'https://192.168.0.1/hook'],
    ['this machine', 'https://127.0.0.1/hook'],
    ['this machine by name', 'https://localhost/hook'],
    ['a name that leads inside', 'https://inside.example/hook'],
    ['IPv6 in disguise', 'https://[::ffff:10.0.0.1]/hook'],
    ['a fragment', 'https://buyer.example/hook#top'],
  ])('refuses a webhook with %s', async (_what, url) => {
    resolved.set('inside.example', ['93.184.216.34', '10.1.2.3'])
    const reply = await agent.create({ push_notification_config: { url } })
    expect(reply.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'push_notification_config.url' })
    const reporting = { url, authentication: AUTHENTICATION, reporting_frequency: 'daily' }
    // Unsigned requests with a legacy secret are for sandbox buyers, who may name this machine.
    if (/localhost|127\.0\.0\.1/.test(url)) return
    const second = await agent.create({ reporting_webhook: reporting }, sandbox)
    expect(second.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'reporting_webhook.url' })
    expect(JSON.stringify([reply.data, second.data])).not.toContain('10.1.2.3')
  })

  it('refuses a webhook with user information as a credential among the arguments', async () => {
    const reply = await agent.create({ push_notification_config: { url: 'https://user:pass@buyer.example/hook' } })
    expect(reply.data.adcp_error).toMatchObject({ code: 'CREDENTIAL_IN_ARGS' })
  })

  it('lets only sandbox buyers name this machine', async () => {
    const reply = await agent.create(push('/production'))
    expect(reply.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'push_notification_config.url' })
    expect((await agent.create(push('/sandbox'), sandbox)).isError).toBe(false)
  })

  it('refuses an operation id that is none', async () => {
    const reply = await agent.create(push('/x', { operation_id: 'with space' }), sandbox)
    expect(reply.data.adcp_error).toMatchObject({ field: 'push_notification_config.operation_id' })
  })

  it('tells when the flight of a buy begins and when it ends, by the clock alone', async () => {
    const packages = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]
    const created = await agent.create({ ...push('/flight'), packages }, sandbox)
    expect(created.data.status).toBe('pending_start')
    await receiver.expect('/flight', 1)
    await settled()
    expect(receiver.at('/flight')).toHaveLength(1)
    agent.setClock('2026-03-02T00:00:00.000Z')
    await settled()
    agent.setClock('2026-03-02T00:05:00.000Z')
    await settled()
    agent.setClock('2026-03-12T00:00:00Z')
    await settled()
    await settled()
    const told = receiver.at('/flight').map(({ body }) => body)
    expect(told.map(({ status, result }) => [status, result.status])).toEqual([
      ['completed', 'pending_start'],
      ['completed', 'active'],
      ['completed', 'completed'],
    ])
    expect(told.flatMap(payloadIssues)).toEqual([])
    expect(new Set(told.map(({ task_id }) => task_id)).size).toBe(1)
    expect(new Set(told.map(({ idempotency_key }) => idempotency_key)).size).toBe(3)
  })

  it('tells when somebody else changed the status, and follows a flight that was moved', async () => {
    const packages = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]
    const created = await agent.create({ ...push('/moved'), packages }, sandbox)
    await receiver.expect('/moved', 1)
    const id = created.data.media_buy_id
    const moved = await agent.run('update_media_buy', { media_buy_id: id, start_time: '2026-03-05T00:00:00Z' }, sandbox)
    expect(moved.isError).toBe(false)
    agent.setClock('2026-03-02T00:00:00Z')
    await settled()
    expect(receiver.at('/moved')).toHaveLength(1)
    agent.setClock('2026-03-05T00:00:00Z')
    await settled()
    await agent.run('update_media_buy', { media_buy_id: id, canceled: true }, sandbox)
    await settled()
    expect(receiver.at('/moved').map(({ body }) => body.result.status)).toEqual(['pending_start', 'active', 'canceled'])
  })

  it('tells the end of an order that waited for its approval, and then its flight', async () => {
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, { approvalAboveMicros: 1 }))
    const packages = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]
    const approved = await agent.create({ ...push('/approved'), packages }, sandbox)
    const rejected = await agent.create({ ...push('/rejected'), packages }, sandbox)
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
    expect(approved.data.status).toBe('submitted')
    await settled()
    expect([...receiver.at('/approved'), ...receiver.at('/rejected')]).toEqual([])

    const services = { ...agent.server.services, store: store() }
    await approve(services, agent.tenant, approved.data.task_id, [], new Date('2026-03-01T13:00:00Z'))
    await reject(store(), agent.tenant, rejected.data.task_id, 'not this month', new Date('2026-03-01T13:00:00Z'))
    agent.setClock('2026-03-01T13:00:01Z')
    await settled()
    agent.setClock('2026-03-02T00:00:00Z')
    await settled()
    const told = receiver.at('/approved').map(({ body }) => body)
    expect(told.map(({ task_id, result }) => [task_id, result.status])).toEqual([
      [approved.data.task_id, 'pending_start'],
      [approved.data.task_id, 'active'],
    ])
    const [no] = receiver.at('/rejected')
    expect(no?.body).toMatchObject({
      task_id: rejected.data.task_id,
      status: 'rejected',
      result: { errors: [expect.anything()] },
    })
    expect([...told, no?.body].flatMap(payloadIssues)).toEqual([])
  })

  it('tells the outcome of a review to the call that submitted the creative, and what it means for the buy', async () => {
    const created = await agent.create({ ...push('/buy-with-creative') }, sandbox)
    expect(created.data.status).toBe('pending_creatives')
    const [{ package_id: packageId }] = created.data.packages
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, { creativeReview: 'manual' }))
    const synced = await agent.run(
      'sync_creatives',
      {
        creatives: [banner(agent.url, 'reviewed')],
        assignments: [{ creative_id: 'reviewed', package_id: packageId }],
        ...push('/review'),
      },
      sandbox,
    )
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
    expect(synced.data.creatives).toMatchObject([{ creative_id: 'reviewed', status: 'pending_review' }])
    await settled()
    expect(receiver.at('/review').map(({ body }) => body.task_type)).toEqual(['sync_creatives'])

    const owner = { tenantId: agent.tenant, principalId: 'tester' }
    const creative = await findCreative(store().read, { ...owner, accountId: undefined }, 'reviewed')
    if (!creative) throw new Error('the creative is gone')
    await store().transaction((tx) => saveCreative(tx, owner, transition(creative, 'approved', new Date('2026-03-01T12:00:00Z'))))
    await settled()
    const review = receiver.at('/review').map(({ body }) => body)
    expect(review[1]).toMatchObject({
      task_type: 'sync_creatives',
      status: 'completed',
      result: { creatives: [{ creative_id: 'reviewed', status: 'approved' }] },
    })
    expect(review.flatMap(payloadIssues)).toEqual([])
    expect(schemas.response('sync_creatives')(review[1].result)).toEqual([])
    expect(receiver.at('/buy-with-creative').map(({ body }) => body.result.status)).toEqual([
      'pending_creatives',
      'pending_start',
    ])
  })

  it('tells that time is running out, and that it is over', async () => {
    await store().transaction((tx) =>
      saveTenantSettings(tx, agent.tenant, { approvalAboveMicros: 1, approvals: { expiresAfterHours: 4 } }),
    )
    const packages = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]
    const { data } = await agent.create({ ...push('/undecided'), packages }, sandbox)
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
    for (const time of ['14:59', '15:00', '15:30', '16:00']) {
      agent.setClock(`2026-03-01T${time}:00Z`)
      agent.server.approvals.wake()
      await agent.server.approvals.idle()
      await settled()
    }
    const told = receiver.at('/undecided').map(({ body }) => body)
    expect(told.map(({ task_id, status, timestamp }) => [task_id, status, timestamp])).toEqual([
      [data.task_id, 'submitted', '2026-03-01T15:00:00.000Z'],
      [data.task_id, 'rejected', '2026-03-01T16:00:00.000Z'],
    ])
    expect(told[1].result).toMatchObject({ errors: [{ code: 'APPROVAL_EXPIRED' }] })
    expect(told.flatMap(payloadIssues)).toEqual([])
  })

  it('tells every change of an account that was declared with a webhook', async () => {
    await store().transaction((tx) =>
      saveTenantSettings(tx, agent.tenant, { approvals: { tasks: { sync_accounts: { when: 'always' } } } }),
    )
    const declared = await sandbox.call('sync_accounts', {
      idempotency_key: randomUUID(),
      accounts: [{ brand: { domain: 'followed.example' }, operator: 'agency.example', billing: 'operator' }],
      ...push('/account'),
    })
    await store().transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
    const [account] = declared.data.accounts
    expect(account.status).toBe('pending_approval')
    const decide = async (status: 'active' | 'suspended' | 'closed', reason?: string) => {
      const at = agent.server.clock()
      await store().transaction((tx) => setAccountStatus(tx, agent.tenant, account.account_id, status, at, reason))
      await settled()
    }
    await decide('active', 'one brand only')
    await decide('suspended')
    await decide('closed')
    const told = receiver.at('/account').map(({ body }) => body)
    expect(told.flatMap(payloadIssues)).toEqual([])
    expect(told.map(({ result }) => [result.accounts[0].status, result.accounts[0].warnings])).toEqual([
      ['pending_approval', undefined],
      ['active', ['one brand only']],
      ['suspended', undefined],
      ['closed', undefined],
    ])
    const { data: task } = await sandbox.call('get_task_status', { task_id: told[0].task_id })
    expect(task).toMatchObject({ task_type: 'sync_accounts', status: 'completed' })
  })

  it('describes its signatures in the capabilities and publishes the key', async () => {
    const { data } = await sandbox.call('get_adcp_capabilities')
    expect(data.webhook_signing).toEqual({
      supported: true,
      profile: 'adcp/webhook-signing/v1',
      algorithms: ['ed25519'],
      legacy_hmac_fallback: true,
    })
    const response = await fetch(new URL('/.well-known/jwks.json', agent.url))
    const { keys: all } = (await response.json()) as { keys: { kid: string; adcp_use?: string; d?: string }[] }
    const keys = all.filter(({ adcp_use: use }) => use === 'webhook-signing')
    expect(keys).toHaveLength(1)
    expect(keys[0]).not.toHaveProperty('d')
    await agent.create({ ...push('/keyid') }, sandbox)
    const [webhook] = await receiver.expect('/keyid', 1)
    expect(webhook?.headers['signature-input']).toContain(`keyid="${keys[0]?.kid}"`)
  })
})
