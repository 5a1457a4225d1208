import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { recordDrift } from '../../src/store/ad-serving/ad-server-drift.ts'
import { requestOrders } from '../../src/store/ad-serving/ad-server-orders.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { insertSpendApproval } from '../../src/store/governance/spend-approvals.ts'
import { enqueue } from '../../src/store/webhook/outbox.ts'
import { insertEndpoint, type WebhookEndpoint } from '../../src/store/webhook/webhook-endpoints.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let mediaBuyId: string
let packageId: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { flags: { 'ads.timeZone': 'Europe/Berlin' } })
  person = await signedIn(agent, 'planner', 'administrator', agent.tenant)
  const bought = await agent.create()
  mediaBuyId = String(bought.data.media_buy_id)
  const [pkg] = bought.data.packages as { package_id: string }[]
  packageId = pkg?.package_id ?? ''
})
afterAll(() => agent.stop())

const page = async (path: string) => (await person.get(`/console/t/${agent.tenant}/${path}`)).text

it('has no panel for what an order does not have', async () => {
  const text = await page(`orders/${mediaBuyId}`)
  for (const title of ['Ad server', 'Webhooks', 'governance', 'Spend by hour']) expect(text).not.toContain(`<h2>${title}`)
  expect(await page('home')).not.toContain('Changed at the ad server')
})

it('shows what happened around an order: hours, ad server and drift, governance, webhooks', async () => {
  const owner = { tenantId: agent.tenant, principalId: 'buyer' }
  const order = { tenantId: agent.tenant, mediaBuyId, adServer: 'gam' }
  const now = agent.server.clock()
  const approval = {
    resourceId: mediaBuyId,
    agentUrl: 'https://governor.example',
    checkId: 'chk_1',
    accountId: 'acc_1',
    planId: 'plan_1',
    tool: 'create_media_buy',
    phase: 'purchase',
    expiresAt: '2026-03-05T12:00:00.000Z',
    token: 'token-that-nobody-sees',
    conditions: [],
    findings: [],
  }
  const endpoint: WebhookEndpoint = {
    ...owner,
    endpointId: 'whe_1',
    kind: 'push',
    taskId: 'task_1',
    taskType: 'create_media_buy',
    mediaBuyId,
    url: 'https://hooks.example/in',
    query: undefined,
    loopback: false,
    scheme: undefined,
    credentials: undefined,
    token: undefined,
    settings: {},
  }
  await agent.server.store.transaction(async (tx) => {
    await requestOrders(tx, owner, mediaBuyId, ['gam'], now)
    await recordDrift(tx, order, [{ subject: 'order', field: 'budgetMicros', expected: 700_000_000, observed: 900_500_000 }], now)
    await insertSpendApproval(tx, owner, approval, now)
    await addDelivery(tx, { tenantId: agent.tenant, adServer: 'gam', now }, [
      { ...NOTHING, lineExternalId: packageId, period: '2026-03-01T10', impressions: 1000, spendMicros: 12_000_000 },
      { ...NOTHING, lineExternalId: packageId, period: '2026-02-28', impressions: 9, spendMicros: 9_000_000 },
    ])
    await insertEndpoint(tx, endpoint, now)
    await enqueue(tx, endpoint, { taskType: 'create_media_buy', taskId: 'task_1', status: 'completed', at: now }, now)
  })
  const text = await page(`orders/${mediaBuyId}`)
  expect(text).toContain('data-value="2026-03-01T11:00Z"')
  expect(text).toContain('data-step="hour"')
  expect(text.split('data-step="hour"').at(1)?.split('</table>').at(0)).not.toContain('$9.00')
  expect(text).toContain('not as booked yet')
  expect(text).toContain('900.5')
  expect(text).not.toContain('budgetMicros')
  expect(text).toContain('https://governor.example')
  expect(text).not.toContain('token-that-nobody-sees')
  expect(text).toContain('hooks.example')
  expect(await page('home')).toContain('Changed at the ad server without us')
})

it('takes over what someone changed, for people who sell, once; what cannot be adopted has no button', async () => {
  const order = { tenantId: agent.tenant, mediaBuyId, adServer: 'gam' }
  const change = { subject: 'order', field: 'budgetMicros', expected: 700_000_000, observed: 900_500_000 }
  const added = { subject: 'order', field: 'added', expected: [], observed: ['theirs'] }
  const stored = await agent.server.store.transaction((tx) => recordDrift(tx, order, [change, added], agent.server.clock()))
  const path = (driftId: string) => `/console/t/${agent.tenant}/orders/${mediaBuyId}/drift/${driftId}/adopt`
  const idOf = (field: string) => stored.find((each) => each.field === field)?.driftId ?? ''
  const before = await page(`orders/${mediaBuyId}`)
  expect(before).toContain(`action="${path(idOf('budgetMicros'))}"`)
  expect(before).not.toContain(path(idOf('added')))
  const viewer = await signedIn(agent, 'viewer-of-drift', 'viewer', agent.tenant)
  expect((await viewer.get(`/console/t/${agent.tenant}/orders/${mediaBuyId}`)).text).not.toContain('/adopt"')

  expect((await person.post(path(idOf('budgetMicros')))).status).toBe(303)
  expect(await page(`orders/${mediaBuyId}?done=adopted`)).toContain('Taken over')
  const states = await agent.server.store.read.selectFrom('ad_server_drift').select(['field', 'state']).execute()
  expect(states).toEqual(
    expect.arrayContaining([
      { field: 'budgetMicros', state: 'adopted' },
      { field: 'added', state: 'open' },
    ]),
  )
  expect((await person.post(path(idOf('added')))).text).toContain('cannot be adopted')
  expect(await page(`orders/${mediaBuyId}`)).not.toContain('/adopt"')
})
