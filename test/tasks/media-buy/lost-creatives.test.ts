import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { desiredCreative } from '../../../src/domain/ad-serving/desired-order-of.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { findCreative } from '../../../src/store/creative/creatives.ts'
import { decideCreative } from '../../../src/tasks/creative/decide-creative.ts'
import { settleRefusedCreatives } from '../../../src/tasks/creative/settle-refused-creatives.ts'
import type { AgentClient } from '../../support/client.ts'
import { banner } from '../../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const BEFORE = '2026-03-01T12:00:00Z'
const IN_FLIGHT = '2026-03-05T00:00:00Z'

let agent: MediaBuyAgent
let receiver: WebhookReceiver
let buyer: AgentClient
let now = BEFORE
beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news')], {
    sandbox: true,
    contracts: loadContracts(),
    webhooks: { limits: { pollMs: 20 }, post: {} },
  })
  buyer = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
}, 120_000)
afterAll(async () => {
  await agent?.stop()
  await receiver?.close()
})
beforeEach(() => at(BEFORE))

const at = (iso: string) => {
  now = iso
  agent.setClock(iso)
}
const settled = async () => {
  agent.server.webhooks.scheduler.wake()
  await agent.server.webhooks.scheduler.idle()
  agent.server.webhooks.dispatcher.wake()
  await agent.server.webhooks.dispatcher.idle()
}
const order = async (id: string, version: '3.0' | '3.1') => {
  const { data } = await agent.create(
    {
      adcp_version: version,
      push_notification_config: { url: `${receiver.origin}/${id}`, operation_id: `op-${id}` },
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creatives: [banner(agent.url, id)] }],
    },
    buyer,
  )
  await receiver.expect(`/${id}`, 1)
  return { id: data.media_buy_id, packageId: data.packages[0].package_id }
}
const read = async (id: string, version: '3.0' | '3.1') =>
  (await buyer.call('get_media_buys', { adcp_version: version, account: ACCOUNT, media_buy_ids: [id] })).data.media_buys[0]
const creativeOf = async (id: string) => {
  const owner = { tenantId: agent.tenant, principalId: 'tester' }
  const creative = await findCreative(agent.server.store.read, { ...owner, accountId: undefined }, id)
  if (!creative) throw new Error(`${id} is gone`)
  return { owner, creative }
}
const reject = async (id: string) => {
  const { owner } = await creativeOf(id)
  const named = { ...owner, accountId: undefined, creativeId: id }
  await decideCreative(agent.server.store, named, 'rejected', 'against policy', new Date(now))
  await settled()
}
/** What its first package is said to do: by its report, and by its snapshot. */
const deliveryIn = async (id: string, version: '3.0' | '3.1') => {
  const asked = { adcp_version: version, account: ACCOUNT, media_buy_ids: [id] }
  const report = (await buyer.call('get_media_buy_delivery', asked)).data.media_buy_deliveries[0].by_package[0]
  const shown = (await buyer.call('get_media_buys', { ...asked, include_snapshot: true })).data.media_buys[0].packages[0]
  return [report.delivery_status, shown.snapshot.delivery_status]
}
/** What a reader is told of the active orders. */
const listText = async (version: '3.0' | '3.1'): Promise<string> => {
  const params = { name: 'get_media_buys', arguments: { adcp_version: version, account: ACCOUNT, status_filter: ['active'] } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const response = await buyer.send(message, { 'mcp-protocol-version': '2025-11-25' })
  return JSON.parse(await response.text()).result.content[0].text
}
const told = (id: string) => receiver.at(`/${id}`).map(({ body }) => body)

describe.each(['3.0', '3.1'] as const)('under AdCP %s an order whose only creative is rejected', (version) => {
  const statusIn = (body: { result: { status?: string; media_buy_status?: string } }) =>
    body.result.media_buy_status ?? body.result.status

  it('waits for another one when its flight has not begun, and is not active before it has it', async () => {
    const name = `early-${version}`
    const { id, packageId } = await order(name, version)
    expect(await read(id, version)).toMatchObject({ status: 'pending_start' })
    await reject(name)
    expect(await read(id, version)).toMatchObject({ status: 'pending_creatives' })
    at(IN_FLIGHT)
    await settled()
    expect(await read(id, version)).toMatchObject({ status: 'pending_creatives' })
    const [, ...later] = told(name).filter(({ result }) => result.notification_type !== 'impairment')
    expect(later.map(statusIn)).toEqual(['pending_creatives'])
    await agent.run(
      'sync_creatives',
      { creatives: [banner(agent.url, `${name}-2`)], assignments: [{ creative_id: `${name}-2`, package_id: packageId }] },
      buyer,
    )
    expect(await read(id, version)).toMatchObject({ status: 'active' })
  })

  it('stays active in its flight, and its buyer is notified', async () => {
    const name = `late-${version}`
    const { id, packageId } = await order(name, version)
    at(IN_FLIGHT)
    await settled()
    const before = told(name).length
    expect(await deliveryIn(id, version)).toEqual(['delivering', 'delivering'])
    await reject(name)
    expect(await read(id, version)).toMatchObject({ status: 'active', health: 'impaired' })
    expect(await deliveryIn(id, version)).toEqual([undefined, 'not_delivering'])
    const news = told(name).slice(before)
    expect(news).toHaveLength(1)
    if (version === '3.1') expect(news[0]?.result).toMatchObject({ notification_type: 'impairment', health: 'impaired' })
    else {
      expect(news[0]).toMatchObject({ status: 'completed', result: { media_buy_id: id, status: 'active' } })
      expect(news[0]?.message).toContain(`creative ${name} is rejected (against policy), and nothing else serves ${packageId}`)
    }
  })

  it('that the ad server rejects is told in the same way', async () => {
    const name = `refused-${version}`
    const { id } = await order(name, version)
    at(IN_FLIGHT)
    await settled()
    const before = told(name).length
    const { owner, creative } = await creativeOf(name)
    const { contentVersion } = desiredCreative(creative)
    const settle = settleRefusedCreatives(
      agent.server.store,
      () => new Date(now),
      () => {},
    )
    const lease = { lease: 'l', leaseUntil: now, requested: 1, applied: 0, attempts: 0, refusedSince: undefined }
    const leased = { ...owner, ...lease, mediaBuyId: id, adServer: 'any', written: undefined, attempted: [], review: undefined }
    await settle(leased, [{ externalId: name, contentVersion, reason: 'no' }])
    await settled()
    expect(await read(id, version)).toMatchObject({ status: 'active', health: 'impaired' })
    expect(told(name)).toHaveLength(before + 1)
  })
})

it('taken off in the flight leaves what it served; 3.0 shows that nothing is assigned, 3.1 that the flight has begun', async () => {
  const { id, packageId } = await order('taken-off', '3.1')
  at(IN_FLIGHT)
  const delivered = async () =>
    (await buyer.call('get_media_buy_delivery', { account: ACCOUNT, media_buy_ids: [id] })).data.media_buy_deliveries[0]
  const before = await delivered()
  expect(before).toMatchObject({ status: 'active' })
  const { data } = await agent.run(
    'sync_creatives',
    {
      adcp_version: '3.2',
      idempotency_key: randomUUID(),
      assignment_operations: [{ operation: 'unassign', creative_id: 'taken-off', package_id: packageId }],
    },
    buyer,
  )
  expect(data.creatives, JSON.stringify(data)).toMatchObject([{ creative_id: 'taken-off', assigned_to: [] }])
  expect(await read(id, '3.0')).toMatchObject({ status: 'pending_creatives' })
  expect(await read(id, '3.1')).toMatchObject({ status: 'active', ext: { missing_creatives: [{ package_id: packageId }] } })
  const after = await delivered()
  expect(after).toMatchObject({ status: 'pending_creatives', totals: before.totals })
  expect(before.totals.impressions).toBeGreaterThan(0)
})

describe.each(['3.0', '3.1'] as const)(
  'under AdCP %s an order whose only creative is taken off by update_media_buy',
  (version) => {
    it('is impaired until it has another, in its flight, and its buyer is notified', async () => {
      const name = `removed-${version}`
      const { id, packageId } = await order(name, version)
      at(IN_FLIGHT)
      await settled()
      expect(await read(id, '3.1')).toMatchObject({ status: 'active', health: 'ok' })
      const before = told(name).length
      const assign = (creative_assignments: object[]) =>
        agent.run(
          'update_media_buy',
          { adcp_version: version, media_buy_id: id, packages: [{ package_id: packageId, creative_assignments }] },
          buyer,
        )
      await assign([])
      await settled()
      expect(await read(id, '3.1')).toMatchObject({
        ...{ status: 'active', health: 'impaired' },
        impairments: [
          {
            ...{
              resource_type: 'creative',
              resource_id: name,
              package_ids: [packageId],
              observed_at: '2026-03-05T00:00:00.000Z',
            },
            reason: 'no longer assigned, and nothing else is: nothing of the package serves',
          },
        ],
        ext: { missing_creatives: [{ package_id: packageId }] },
      })
      expect(await listText('3.1')).toContain(`${id}: active, impaired`)
      const news = told(name).slice(before)
      expect(news).toHaveLength(1)
      if (version === '3.1') expect(news[0]?.result).toMatchObject({ notification_type: 'impairment', health: 'impaired' })
      else expect(news[0]?.result).toMatchObject({ status: 'pending_creatives' })
      await assign([{ creative_id: name }])
      await settled()
      expect(await read(id, '3.1')).toMatchObject({ status: 'active', health: 'ok' })
      expect(told(name)).toHaveLength(before + 2)
    })
  },
)
