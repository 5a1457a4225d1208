import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import { AdServerRefusal } from '../../../src/ad-serving/refusal.ts'
import { setCredit } from '../../../src/operator/accounts/account-money.ts'
import { showOrders } from '../../../src/operator/ad-servers/show-ad-servers.ts'
import { otherDecisions } from '../../../src/operator/notifications/name-decisions.ts'
import { leaseOrders } from '../../../src/store/ad-serving/ad-server-leases.ts'
import { settleReviews } from '../../../src/tasks/media-buy/settle-review.ts'
import type { AgentClient } from '../../support/client.ts'
import { signedIn } from '../../support/console-client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer, type MemoryAdServer } from '../../support/memory-ad-server.ts'
import { listAuditEntries, operatorBeside, performAs } from '../../support/operator.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const MINUTE = 60_000
const START = Date.parse('2026-03-01T12:00:00Z')

/** An ad server where a person approves each order before it serves. */
const { capabilities } = createMemoryAdServer().backend
const REVIEWED = { capabilities: { ...capabilities, booking: 'reviewed' as const } }

let agent: MediaBuyAgent
let server: MemoryAdServer
let receiver: WebhookReceiver
let buyer: AgentClient
let now = START
beforeAll(async () => {
  receiver = await startReceiver()
})
afterEach(() => agent.stop())
afterAll(() => receiver.close())

async function start() {
  now = START
  server = createMemoryAdServer(REVIEWED)
  const home = productDocument('home', { delivery_type: 'guaranteed' }, { daily_capacity: 10_000 })
  agent = await startMediaBuyAgent([productDocument('news'), home], {
    backend: { backend: server.backend, drift: 'leave' },
    sandbox: true,
    reconciler: { timing: { everyMs: 3_600_000 } },
    webhooks: { limits: { pollMs: 20 } },
  })
  // Webhooks of sandbox buyers may go to this machine.
  buyer = await agent.buyerOn(ACCOUNT, { principal: 'agency', sandbox: true })
}

async function later(minutes: number) {
  now += minutes * MINUTE
  agent.setClock(new Date(now).toISOString())
  const { store, services, clock, log } = agent.server
  const settleReview = settleReviews({ ...services, store }, clock, services.webhooks.wake)
  await reconcileDue({ store, clock, log, backends: services.adServers.backends, settleReview })
}

const order = () => {
  const [found] = server.orders
  if (!found) throw new Error('no order came to the ad server')
  return found
}
const taskOf = async (taskId: string) => (await buyer.call('get_task_status', { task_id: taskId, include_result: true })).data
const listed = async () => {
  const status_filter = ['pending_creatives', 'pending_start', 'active', 'completed', 'rejected', 'canceled']
  return (await buyer.call('get_media_buys', { status_filter })).data.media_buys
}

/** The newest check of the plan as its buyer reads it. */
async function lastCheck(): Promise<{ check_id: string; governance_context: string }> {
  const { data } = await buyer.call('get_plan_audit_logs', { plan_ids: ['spring'], include_entries: true })
  return data.plans[0].entries.findLast((entry: { type: string }) => entry.type === 'check')
}

/** An order whose buyer hears of its task at a path of its own. */
async function submit(path: string) {
  await start()
  const { data } = await agent.create(
    {
      push_notification_config: { url: `${receiver.origin}${path}` },
    },
    buyer,
  )
  expect(data, JSON.stringify(data)).toMatchObject({
    status: 'submitted',
    message: expect.stringContaining('ad server'),
    task_id: expect.any(String),
  })
  expect(data).not.toHaveProperty('media_buy_id')
  await later(0)
  return String(data.task_id)
}

describe('an order that the people at an ad server approve', () => {
  test('is submitted, provisional meanwhile, and confirmed when they have', async () => {
    const taskId = await submit('/approved')
    expect(await taskOf(taskId)).toMatchObject({ status: 'submitted' })
    const [provisional] = await listed()
    expect(provisional).toMatchObject({ status: 'pending_creatives' })
    expect(provisional).not.toHaveProperty('confirmed_at')
    await later(60 * 24 * 2)
    expect((await listed())[0].status).toBe('pending_creatives')
    order().state = 'active'
    await later(1)
    const done = await taskOf(taskId)
    expect(done).toMatchObject({ status: 'completed', result: { media_buy_id: provisional.media_buy_id } })
    expect(done.result.confirmed_at).toBe(new Date(now).toISOString())
    expect((await listed())[0]).toMatchObject({ confirmed_at: done.result.confirmed_at })
    const [told] = await receiver.expect('/approved', 1)
    expect(told?.body).toMatchObject({ status: 'completed', task_id: taskId })
    // The next look changes nothing any more.
    const { revision } = (await listed())[0]
    await later(20)
    expect((await listed())[0].revision).toBe(revision)
  })

  test('is rejected with their reason, which the buyer hears', async () => {
    const taskId = await submit('/rejected')
    Object.assign(order(), { state: 'rejected', reason: 'competitor of our sponsor' })
    await later(1)
    const reason = 'rejected by the ad server of the publisher: competitor of our sponsor'
    expect(await taskOf(taskId)).toMatchObject({ status: 'rejected', error: { message: reason } })
    expect((await listed())[0]).toMatchObject({ status: 'rejected' })
    const [told] = await receiver.expect('/rejected', 1)
    expect(told?.body).toMatchObject({ status: 'rejected', task_id: taskId, message: reason })
  })

  test('gives the inventory back that it held, when they reject it', async () => {
    await start()
    // A thousand dollars at 10 CPM are every impression of ten days.
    const all = { packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 1000 }] }
    expect((await agent.create(all, buyer)).data).toMatchObject({ status: 'submitted' })
    await later(0)
    expect((await agent.create(all, buyer)).data.adcp_error).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
    Object.assign(order(), { state: 'rejected', reason: 'competitor of our sponsor' })
    await later(1)
    expect((await agent.create(all, buyer)).data).toMatchObject({ status: 'submitted' })
  })

  test('frees inventory, plan and credit once, however often the refusal is read', async () => {
    await start()
    const plan = {
      plan_id: 'spring',
      brand: ACCOUNT.brand,
      objectives: 'Spring',
      budget: { total: 1000, currency: 'USD', reallocation_threshold: 1000 },
      flight: { start: '2026-03-01T00:00:00Z', end: '2026-04-30T00:00:00Z' },
    }
    expect((await agent.run('sync_plans', { plans: [plan], account: undefined }, buyer)).isError).toBe(false)
    const operator = operatorBeside(agent, () => new Date(now))
    const accounts = await agent.server.store.read.selectFrom('accounts').select(['account_id', 'principal_id']).execute()
    const accountId = accounts.find(({ principal_id: owner }) => owner === 'agency')?.account_id ?? ''
    await performAs(operator, agent.tenant, setCredit, { account: accountId, amount: '5000', currency: 'USD' })
    const state = async () => {
      const financials = await buyer.call('get_account_financials', { account: ACCOUNT })
      const logs = await buyer.call('get_plan_audit_logs', { plan_ids: ['spring'] })
      const held = await agent.server.store.read.selectFrom('inventory_periods').select('reserved').execute()
      return {
        credit: financials.data.credit?.available_credit,
        committed: logs.data.plans[0].budget?.committed,
        held: held.reduce((sum, { reserved }) => sum + Number(reserved), 0),
      }
    }
    const before = await state()
    expect(before).toMatchObject({ credit: 5000, committed: 0 })
    const all = { packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 1000 }] }
    const push_notification_config = { url: `${receiver.origin}/once` }
    const { data } = await agent.create({ ...all, plan_id: 'spring', push_notification_config }, buyer)
    expect(data, JSON.stringify(data)).toMatchObject({ status: 'submitted' })
    await later(0)
    expect((await state()).held).toBeGreaterThan(before.held)
    // The seller commits nothing of a plan: its buyer reports what came of the purchase.
    expect(await state()).toMatchObject({ credit: 5000, committed: 0 })
    Object.assign(order(), { state: 'rejected', reason: 'competitor of our sponsor' })
    const { store, services, clock } = agent.server
    const settle = settleReviews({ ...services, store }, clock, services.webhooks.wake)
    const [leased] = await leaseOrders(store, { now: new Date(now + MINUTE), leaseMs: 1, limit: 1 })
    if (!leased) throw new Error('the order is not due')
    // A process that dies after the decision reads it again; two of them read it at once.
    const again = () => settle(leased, { state: 'rejected', reason: 'competitor of our sponsor' })
    await later(1)
    await again()
    await Promise.allSettled([again(), again()])
    await later(20)
    expect(await state()).toEqual(before)
    expect(await taskOf(String(data.task_id))).toMatchObject({ status: 'rejected' })
    const [told] = await receiver.expect('/once', 1)
    const { check_id, governance_context } = await lastCheck()
    const outcome = { plan_id: 'spring', check_id, governance_context, outcome: 'failed', error: { message: told?.body.message } }
    const reported = await agent.run('report_plan_outcome', { ...outcome, account: undefined }, buyer)
    expect(reported.data, JSON.stringify(reported.data)).toMatchObject({ status: 'accepted', committed_budget: 0 })
    // All of the plan, of the inventory and of the credit is there again.
    expect((await agent.create({ ...all, plan_id: 'spring' }, buyer)).data).toMatchObject({ status: 'submitted' })
    // One that was on its way when the clock leapt may come again, as the same one.
    expect(new Set(receiver.at('/once').map(({ body }) => body.idempotency_key)).size).toBe(1)
  })

  test('is canceled, with their reason, when they reject it after they had approved it', async () => {
    await submit('/later')
    order().state = 'active'
    await later(1)
    Object.assign(order(), { state: 'rejected', reason: 'complaints of readers' })
    await later(20)
    const [buy] = await listed()
    expect(buy).toMatchObject({ status: 'canceled', cancellation: { canceled_by: 'seller' } })
    expect(buy.cancellation.reason).toContain('complaints of readers')
    // One that was on its way when the clock leapt may come again.
    const results = () => receiver.at('/later').map(({ body }) => body.result)
    await expect
      .poll(results, { timeout: 60_000 })
      .toContainEqual(expect.objectContaining({ media_buy_id: buy.media_buy_id, status: 'canceled' }))
  })

  test('waits while the ad server is away, and lapses with its flight', async () => {
    await start()
    server.down = new Error('connect ECONNREFUSED')
    const { data } = await agent.create({}, buyer)
    expect(data.status).toBe('submitted')
    await later(0)
    await later(60)
    expect(await taskOf(data.task_id)).toMatchObject({ status: 'submitted' })
    server.down = undefined
    await later(10)
    expect(await taskOf(data.task_id)).toMatchObject({ status: 'submitted' })
    await later(60 * 24 * 12)
    expect(await taskOf(data.task_id)).toMatchObject({ status: 'rejected', message: expect.stringContaining('flight was over') })
    expect((await listed())[0].status).toBe('rejected')
  })

  test('can be canceled by its buyer meanwhile: the task is canceled with it', async () => {
    const taskId = await submit('/canceled')
    const [{ media_buy_id }] = await listed()
    const { isError, data } = await agent.run('update_media_buy', { media_buy_id, canceled: true }, buyer)
    expect(isError, JSON.stringify(data)).toBe(false)
    await later(1)
    expect(order().state).toBe('ended')
    expect(await taskOf(taskId)).toMatchObject({ status: 'canceled' })
  })
})

describe('an order that an ad server refuses when it is called', () => {
  const TEN_MINUTES_OF_A_DAY = 144

  async function refuseFor(ten: number): Promise<void> {
    for (let looks = 0; looks < ten; looks++) await later(10)
  }

  test('waits a day with its reason while people are notified, then ends once: buyer, task and inventory', async () => {
    await start()
    const all = { packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 1000 }] }
    const { data } = await agent.create({ ...all, push_notification_config: { url: `${receiver.origin}/refused` } }, buyer)
    const taskId = String(data.task_id)
    server.down = new AdServerRefusal('INVALID_REQUEST', 'POST /orders answered 422: no such advertiser', 'no such advertiser')
    await later(0)
    const operator = operatorBeside(agent, () => new Date(now))
    const [waiting] = await showOrders(operator, agent.tenant, { waiting: true })
    expect(waiting).toMatchObject({
      reason: 'refused by the ad server: POST /orders answered 422: no such advertiser',
      refused_since: new Date(START).toISOString(),
      ends_refused_at: new Date(START + 24 * 60 * MINUTE).toISOString(),
    })
    const [decision] = await otherDecisions(operator, agent.tenant)
    expect(decision).toMatchObject({
      what: expect.stringMatching(
        /refuses \(it is rejected at 2026-03-02 12:00 UTC unless it is mended; try it again or cancel it\)/,
      ),
    })

    await refuseFor(TEN_MINUTES_OF_A_DAY - 1)
    expect(await taskOf(taskId)).toMatchObject({ status: 'submitted' })
    await refuseFor(1)
    const reason = 'refused by the ad server of the publisher: no such advertiser'
    expect(await taskOf(taskId)).toMatchObject({ status: 'rejected', error: { message: reason } })
    const [ended] = await listed()
    expect(ended).toMatchObject({ status: 'rejected', rejection_reason: reason })
    const [told] = await receiver.expect('/refused', 1)
    expect(told?.body).toMatchObject({ status: 'rejected', task_id: taskId, message: reason })
    expect(await otherDecisions(operator, agent.tenant)).toEqual([])
    // It ends once, and what it held is free.
    server.down = undefined
    await refuseFor(3)
    expect((await listed())[0].revision).toBe(ended.revision)
    const nineDays = { start_time: 'asap', packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 900 }] }
    const again = (await agent.create(nineDays, buyer)).data
    expect(again, JSON.stringify(again)).toMatchObject({ status: 'submitted' })
  })

  test('goes on when people mend it in time, and an outage or a wrong setup ends nothing', async () => {
    const errors = [
      new Error('connect ECONNREFUSED'),
      new AdServerRefusal('CONFIGURATION_ERROR', 'the service account may not do this', 'no rights'),
      new AdServerRefusal('SERVICE_UNAVAILABLE', 'maintenance', 'maintenance'),
    ]
    for (const error of errors) {
      await start()
      server.down = error
      const { data } = await agent.create({}, buyer)
      await refuseFor(TEN_MINUTES_OF_A_DAY + 2)
      expect(await taskOf(String(data.task_id)), error.message).toMatchObject({ status: 'submitted' })
      await agent.stop()
    }
    await start()
    server.down = new AdServerRefusal('INVALID_REQUEST', 'no such advertiser', 'no such advertiser')
    const { data } = await agent.create({}, buyer)
    await refuseFor(TEN_MINUTES_OF_A_DAY - 2)
    server.down = undefined
    await refuseFor(2)
    order().state = 'active'
    await refuseFor(2)
    expect(await taskOf(String(data.task_id))).toMatchObject({ status: 'completed' })
  })

  test('is tried again from its page in the console when people have mended it', async () => {
    await start()
    server.down = new AdServerRefusal('INVALID_REQUEST', 'no such advertiser', 'no such advertiser')
    await agent.create({}, buyer)
    await later(0)
    const operator = operatorBeside(agent, () => new Date(now))
    const [{ media_buy_id: id = '' } = {}] = await showOrders(operator, agent.tenant, { waiting: true })
    const path = `/console/t/${agent.tenant}/orders/${id}`
    const viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
    expect((await viewer.get(path)).text).not.toContain('try-again')
    expect((await viewer.post(`${path}/try-again`)).status).toBe(403)
    const ada = await signedIn(agent, 'ada', 'ad_operations', agent.tenant)
    expect((await ada.get(path)).text).toMatch(/try-again[\s\S]*Try again<\/button>/)
    expect((await ada.post(`${path}/try-again`)).location).toBe(`${path}?done=tried`)
    expect(server.orders).toHaveLength(0)
    server.down = undefined
    expect((await ada.post(`${path}/try-again`)).location).toBe(`${path}?done=tried`)
    expect(server.orders).toHaveLength(1)
    order().state = 'active'
    await later(10)
    await later(10)
    expect((await ada.get(path)).text).not.toContain('try-again')
    expect((await ada.post(`/console/t/${agent.tenant}/orders/mb_none/try-again`)).status).toBe(404)
    await agent.server.audit.settled()
    const entries = await listAuditEntries(operator, agent.tenant, { task: 'adservers.sync', limit: 9 })
    expect(entries.map(({ principal, subject, outcome }) => [principal, subject, outcome])).toEqual([
      ['person:ada', id, 'ok'],
      ['person:ada', id, 'ok'],
    ])
  })

  test('serves as before when only a change of it is refused', async () => {
    await start()
    const { data } = await agent.create({}, buyer)
    await later(0)
    order().state = 'active'
    await later(10)
    const { media_buy_id: id } = (await taskOf(String(data.task_id))).result
    server.down = new AdServerRefusal('INVALID_REQUEST', 'the budget is too large', 'the budget is too large')
    await buyer.call('update_media_buy', {
      account: ACCOUNT,
      media_buy_id: id,
      name: 'Other name',
      idempotency_key: 'refused-change-0001',
    })
    await refuseFor(TEN_MINUTES_OF_A_DAY + 2)
    const [shown] = await listed()
    expect(['rejected', 'canceled']).not.toContain(shown.status)
    const [waiting] = await showOrders(
      operatorBeside(agent, () => new Date(now)),
      agent.tenant,
      { waiting: true },
    )
    expect(waiting).toMatchObject({ refused_since: expect.any(String), ends_refused_at: null })
  })
})
