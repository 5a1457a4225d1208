import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AdServer } from '../../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../../src/ad-serving/simulator/simulator.ts'
import type { TenantSettings } from '../../../src/domain/identity/principal.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { setAccountStatus } from '../../../src/store/account/tenant-accounts.ts'
import { setPrincipalStatus } from '../../../src/store/identity/principals.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import type { ApprovalServices } from '../../../src/tasks/approvals/carry-out.ts'
import { approve, askBuyer, reject, withdraw } from '../../../src/tasks/approvals/decide.ts'
import { decideEntry, listQueue } from '../../../src/tasks/approvals/queue.ts'
import { summarizeMediaBuys } from '../../../src/tasks/media-buy/summaries.ts'
import { agentClient } from '../../support/client.ts'
import { banner } from '../../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const START = '2026-03-01T12:00:00Z'
const ALWAYS = { when: 'always' } as const

let agent: MediaBuyAgent
/** The simulator, with a wire-tap and a switch. */
const calls: string[] = []
let isAway = false
const simulator = createSimulator()
const adServer: AdServer = {
  ...simulator,
  async book(anchor, mediaBuyId, lines) {
    calls.push(`book ${anchor}`)
    if (isAway) throw new AdcpError('SERVICE_UNAVAILABLE', 'the ad server cannot be reached')
    return simulator.book(anchor, mediaBuyId, lines)
  },
  async cancel(anchor, orderId, lineIds) {
    calls.push(`cancel ${anchor}`)
    return simulator.cancel(anchor, orderId, lineIds)
  },
}

beforeAll(async () => {
  const guaranteed = { delivery_type: 'guaranteed' } as const
  agent = await startMediaBuyAgent(
    [
      productDocument('news'),
      productDocument('takeover', {}, { approval: 'manual' }),
      productDocument(
        'bids',
        { pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', floor_price: 5 }] },
        { approval: 'manual' },
      ),
      productDocument('by_hand', {
        allowed_actions: [
          { action: 'pause', modes: ['self_serve'] },
          { action: 'increase_budget', modes: ['requires_approval'] },
          { action: 'cancel', modes: ['requires_approval'] },
        ],
      }),
      productDocument('shelf', guaranteed, { approval: 'automatic', daily_capacity: 100_000 }),
      productDocument('home', guaranteed, { approval: 'manual', daily_capacity: 10_000 }),
    ],
    { adServer, contracts: loadContracts() },
  )
})
afterAll(() => agent.stop())
afterEach(async () => {
  agent.setClock(START)
  isAway = false
  await policy({})
})

const services = (): ApprovalServices => ({ ...agent.server.services, store: agent.server.store })
const at = (iso = '2026-03-01T13:00:00Z') => new Date(iso)
const policy = (settings: TenantSettings) =>
  agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, settings))
const statusOf = async (taskId: string) => (await agent.buyer.call('tasks/get', { task_id: taskId, include_history: true })).data
const packages = (productId = 'takeover', budget = 500) => [{ product_id: productId, pricing_option_id: 'cpm', budget }]
const submit = async (overrides: object = {}) => {
  const { data } = await agent.create({ packages: packages(), ...overrides })
  expect(data, JSON.stringify(data)).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
  return data.task_id as string
}
const approved = (taskId: string, now = at(), conditions: string[] = []) =>
  approve(services(), agent.tenant, taskId, conditions, now)
const clockLooks = async (iso: string) => {
  agent.setClock(iso)
  agent.server.approvals.wake()
  await agent.server.approvals.idle()
}

describe('an order that waits', () => {
  it('is approved on conditions, which its buyer reads everywhere', async () => {
    const taskId = await submit()
    const task = await approved(taskId, at(), ['no alcohol', 'creatives by Friday'])
    expect(task).toMatchObject({ status: 'completed', message: expect.stringContaining('1) no alcohol 2) creatives by Friday') })
    const polled = await statusOf(taskId)
    expect(polled).toMatchObject({
      result: { ext: { approval_conditions: ['no alcohol', 'creatives by Friday'] } },
      progress: { percentage: 100, step_number: 3 },
    })
    expect(polled.history.map(({ data }: { data: { status?: string } }) => data.status)).toEqual([
      undefined,
      'submitted',
      'pending_creatives',
    ])
    const { media_buy_id: id } = polled.result
    const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [id], include_history: 5 })
    expect(JSON.stringify(data.media_buys[0].history)).toContain('creatives by Friday')
    const conditions = ['no alcohol', 'creatives by Friday']
    for (const adcp_version of ['3.0', '3.1', '3.2']) {
      const statuses = { status_filter: ['pending_creatives'], account: ACCOUNT }
      for (const asked of [{ media_buy_ids: [id] }, statuses]) {
        const { data: listed } = await agent.buyer.call('get_media_buys', { adcp_version, ...asked })
        const row = listed.media_buys.find((each: { media_buy_id: string }) => each.media_buy_id === id)
        expect(row.ext).toMatchObject({ approval_conditions: conditions })
      }
    }
    expect(summarizeMediaBuys(data)).toContain(`${id}: Approved on these conditions: 1) no alcohol 2) creatives by Friday`)
  })

  it('says how far it has come, before and after', async () => {
    const taskId = await submit()
    expect((await statusOf(taskId)).progress).toEqual({
      percentage: 0,
      current_step: 'waiting for the seller',
      step_number: 1,
      total_steps: 3,
    })
    await reject(agent.server.store, agent.tenant, taskId, 'no room', at())
    expect(await statusOf(taskId)).not.toHaveProperty('progress')
  })

  it('comes to one outcome, however many decide at the same moment', async () => {
    for (let round = 0; round < 8; round++) {
      const taskId = await submit()
      calls.length = 0
      const owner = { tenantId: agent.tenant, principalId: 'buyer' }
      const decisions = [
        () => approved(taskId),
        () => reject(agent.server.store, agent.tenant, taskId, 'no', at()),
        () => withdraw(agent.server.store, owner, taskId, at()),
        () => approved(taskId),
      ]
      const results = await Promise.allSettled(
        [...decisions.slice(round % 4), ...decisions.slice(0, round % 4)].map((go) => go()),
      )
      const { status } = await statusOf(taskId)
      const told = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.status] : []))
      expect(new Set(told), `round ${round}`).toEqual(new Set([status]))
      for (const result of results)
        if (result.status === 'rejected') expect(['INVALID_STATE', 'CONFLICT']).toContain(result.reason.code)
      expect(calls.some((call) => call.startsWith('book'))).toBe(status === 'completed')
      expect(calls.some((call) => call.startsWith('cancel'))).toBe(false)
    }
  })

  it.each([
    ['the flight is over', '2026-03-13T00:00:00Z', async () => {}, 'INVALID_REQUEST', /end_time has passed/],
    [
      'the account is suspended',
      undefined,
      async () => {
        const { data } = await agent.buyer.call('list_accounts', {})
        await agent.server.store.transaction((tx) =>
          setAccountStatus(tx, agent.tenant, data.accounts[0].account_id, 'suspended', at()),
        )
        return () =>
          agent.server.store.transaction((tx) => setAccountStatus(tx, agent.tenant, data.accounts[0].account_id, 'active', at()))
      },
      'ACCOUNT_SUSPENDED',
      /suspended/,
    ],
    [
      'the agent is suspended',
      undefined,
      async () => {
        await agent.server.store.transaction((tx) => setPrincipalStatus(tx, agent.tenant, 'buyer', 'suspended'))
        return () => agent.server.store.transaction((tx) => setPrincipalStatus(tx, agent.tenant, 'buyer', 'active'))
      },
      'INSUFFICIENT_PERMISSIONS',
      /may no longer act/,
    ],
  ])('fails when %s by the time of the approval, and says so', async (_name, when, change, code, message) => {
    await policy({ approvals: { expiresAfterHours: 24 * 30 } })
    const taskId = await submit()
    const undo = await change()
    calls.length = 0
    const task = await approved(taskId, at(when))
    await undo?.()
    expect(task).toMatchObject({ status: 'failed', error: { code, message: expect.stringMatching(message) } })
    expect(calls).toEqual([])
    // Deciding again changes nothing.
    expect(await approved(taskId)).toEqual(task)
  })

  it('fails when its inventory went to somebody else meanwhile', async () => {
    const flight = { start_time: '2026-04-01T00:00:00Z', end_time: '2026-04-03T00:00:00Z', packages: packages('home', 120) }
    const [first, second] = [await submit(flight), await submit(flight)]
    const both = await Promise.all([approved(first), approved(second)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['completed', 'failed'])
    expect(both.find(({ status }) => status === 'failed')?.error).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
  })

  it('begins on the day it is approved when that is later than planned', async () => {
    const taskId = await submit()
    const late = '2026-03-04T06:00:00.000Z'
    await approved(taskId, new Date(late))
    const { result } = await statusOf(taskId)
    expect(result.packages[0]).toMatchObject({ start_time: late, end_time: '2026-03-12T00:00:00.000Z', budget: 500 })
  })

  it('is carried out later when the ad server is away, by the clock, under the same anchor', async () => {
    const taskId = await submit()
    calls.length = 0
    isAway = true
    await expect(approved(taskId)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect((await statusOf(taskId)).status).toBe('submitted')
    await expect(reject(agent.server.store, agent.tenant, taskId, 'too late', at())).rejects.toMatchObject({
      code: 'INVALID_STATE',
    })
    await clockLooks('2026-03-01T13:01:00Z')
    expect((await statusOf(taskId)).status).toBe('submitted')
    isAway = false
    await clockLooks('2026-03-01T13:05:00Z')
    expect((await statusOf(taskId)).status).toBe('completed')
    expect(new Set(calls).size).toBe(1)
  })

  it('is announced before its time is over, and ends undecided then', async () => {
    await policy({ approvals: { expiresAfterHours: 8 } })
    const taskId = await submit()
    await clockLooks('2026-03-01T17:59:00Z')
    expect((await statusOf(taskId)).message).toMatch(/sales team/)
    await clockLooks('2026-03-01T18:00:00Z')
    const reminded = await statusOf(taskId)
    expect(reminded).toMatchObject({ status: 'submitted', message: expect.stringContaining('2026-03-01T20:00:00.000Z') })
    // Too late is too late, also before the clock has looked.
    await expect(approved(taskId, at('2026-03-01T20:00:00Z'))).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await clockLooks('2026-03-01T20:00:00Z')
    expect(await statusOf(taskId)).toMatchObject({ status: 'rejected', error: { code: 'APPROVAL_EXPIRED' } })
    await expect(approved(taskId, at('2026-03-01T20:00:01Z'))).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  it('goes back to the buyer, whose answer waits under the same task', async () => {
    const taskId = await submit()
    const asked = await askBuyer(agent.server.store, agent.tenant, taskId, 'Please halve the budget', at())
    expect(asked).toMatchObject({ status: 'input-required', result: { reason: 'APPROVAL_REQUIRED' } })
    const foreign = agentClient(agent.url, await agent.addBuyer({ principal: 'stranger' }))
    await foreign.call('sync_accounts', { idempotency_key: crypto.randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
    const stolen = await agent.create({ packages: packages(), ext: { answers_task: taskId } }, foreign)
    expect(stolen.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'ext.answers_task' })
    const answer = await agent.create({ packages: packages('takeover', 250), ext: { answers_task: taskId } })
    expect(answer.data).toMatchObject({ status: 'submitted', task_id: taskId })
    await approved(taskId)
    expect(await statusOf(taskId)).toMatchObject({ status: 'completed', result: { packages: [{ budget: 250 }] } })
  })
})

describe('a change that waits', () => {
  const buy = async () => {
    const { data } = await agent.create({ packages: packages('news', 1000) })
    return { id: data.media_buy_id as string, packageId: data.packages[0].package_id as string }
  }
  const stateOf = async (id: string) => (await agent.buyer.call('get_media_buys', { media_buy_ids: [id] })).data.media_buys[0]

  it('leaves the buy alone until it is approved; stopping waits for nobody', async () => {
    const { id, packageId } = await buy()
    await policy({ approvals: { tasks: { update_media_buy: ALWAYS } } })
    const { data } = await agent.run('update_media_buy', {
      media_buy_id: id,
      packages: [{ package_id: packageId, budget: 3000 }],
    })
    expect(data).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
    expect(await stateOf(id)).toMatchObject({ total_budget: 1000, revision: 1 })
    expect((await agent.run('update_media_buy', { media_buy_id: id, paused: true })).data).toMatchObject({ media_buy_id: id })
    const [entry] = (await listQueue(agent.server.store.read, agent.tenant)).filter((one) => one.id === data.task_id)
    expect(entry).toMatchObject({
      task: 'update_media_buy',
      summary: { media_buy_id: id, budget: 3000, budget_before: 1000, changes: ['Package budget changed'] },
    })
    expect(await approved(data.task_id)).toMatchObject({
      status: 'completed',
      result: { media_buy_id: id, revision: 3, affected_packages: [{ budget: 3000 }] },
    })
    expect(await stateOf(id)).toMatchObject({ total_budget: 3000, revision: 3 })
    expect((await agent.run('update_media_buy', { media_buy_id: id, canceled: true })).data.status).toBe('canceled')
  })

  it('by the rules waits only when it makes the order bigger than the limit', async () => {
    const { id, packageId } = await buy()
    await policy({ approvalAboveMicros: 500_000_000 })
    const change = (budget: number) =>
      agent.run('update_media_buy', { media_buy_id: id, packages: [{ package_id: packageId, budget }] })
    expect((await change(900)).data.media_buy_id).toBe(id)
    expect((await change(1200)).data.status).toBe('submitted')
    expect((await agent.run('update_media_buy', { media_buy_id: id, end_time: '2026-03-20T00:00:00Z' })).data.media_buy_id).toBe(
      id,
    )
  })

  it('never waits where there is no room for it, above the limit or below', async () => {
    const { data: bought } = await agent.create({ packages: packages('shelf', 100) })
    const change = (budget: number) =>
      agent.run('update_media_buy', {
        media_buy_id: bought.media_buy_id,
        packages: [{ package_id: bought.packages[0].package_id, budget }],
      })
    await policy({ approvalAboveMicros: 500_000_000 })
    expect((await change(600)).data.status).toBe('submitted')
    const { data } = await change(1_000_000)
    expect(data.adcp_error).toMatchObject({ code: 'PRODUCT_UNAVAILABLE', field: 'packages[0].budget' })
    await policy({ approvalAboveMicros: 9_000_000_000_000 })
    expect((await change(1_000_000)).data.adcp_error.message).toBe(data.adcp_error.message)
  })

  it('is listed as it is carried out: what waits for approval, and what may', async () => {
    const modes = async (id: string): Promise<Record<string, string>> => {
      const args = { adcp_version: '3.1', account: ACCOUNT, media_buy_ids: [id] }
      const { data } = await agent.buyer.call('get_media_buys', args)
      const listed: { action: string; mode: string }[] = data.media_buys[0].available_actions
      return Object.fromEntries(listed.map(({ action, mode }) => [action, mode]))
    }
    const { id, packageId } = await buy()
    expect(await modes(id)).toMatchObject({
      ...{ cancel: 'self_serve', extend_flight: 'self_serve', increase_budget: 'self_serve', reallocate_budget: 'self_serve' },
      add_packages: 'conditional_self_serve',
    })
    await policy({ approvalAboveMicros: 2_000_000_000 })
    const args = { adcp_version: '3.1', account: ACCOUNT, media_buy_ids: [id] }
    const { ext } = (await agent.buyer.call('get_media_buys', args)).data.media_buys[0]
    expect(ext.conditional_actions).toMatchObject({
      actions: ['increase_budget', 'add_packages'],
      condition: expect.stringContaining('the sales team confirms'),
    })
    expect(await modes(id)).toMatchObject({ increase_budget: 'conditional_self_serve', decrease_budget: 'self_serve' })
    await agent.run('update_media_buy', { media_buy_id: id, packages: [{ package_id: packageId, budget: 2000 }] })
    expect(await modes(id)).toMatchObject({
      ...{ increase_budget: 'requires_approval', add_packages: 'requires_approval', decrease_budget: 'self_serve' },
      ...{ extend_flight: 'self_serve', pause: 'self_serve' },
    })
    await policy({ approvals: { tasks: { update_media_buy: ALWAYS } } })
    expect(await modes(id)).toMatchObject({ update_targeting: 'requires_approval', cancel: 'self_serve' })
    await policy({})
    const { data } = await agent.create({ packages: [{ ...packages('bids')[0], bid_price: 5 }] })
    const { result } = await approved(data.task_id).then(() => statusOf(data.task_id))
    expect(await modes(result.media_buy_id)).toMatchObject({
      ...{ increase_budget: 'requires_approval', extend_flight: 'requires_approval', reallocate_budget: 'requires_approval' },
      ...{ decrease_budget: 'self_serve', update_pacing: 'self_serve', cancel: 'self_serve' },
    })
  })

  it('waits with new dates and bids of a product that is sold by hand', async () => {
    const { data } = await agent.create({ packages: [{ ...packages('bids')[0], bid_price: 5 }] })
    const { result } = await approved(data.task_id).then(() => statusOf(data.task_id))
    const { media_buy_id: id, packages: booked } = result
    const { package_id } = booked[0]
    for (const change of [
      { end_time: '2026-05-20T00:00:00Z' },
      { start_time: '2026-03-08T00:00:00Z' },
      { packages: [{ package_id, bid_price: 50 }] },
      { packages: [{ package_id, end_time: '2026-03-11T00:00:00Z' }] },
    ]) {
      const { data: held } = await agent.run('update_media_buy', { media_buy_id: id, ...change })
      expect(held, JSON.stringify(held)).toMatchObject({
        status: 'submitted',
        message: 'bids has to be confirmed by the sales team',
      })
    }
    expect(await stateOf(id)).toMatchObject({ revision: 1, total_budget: 500 })
    expect((await agent.run('update_media_buy', { media_buy_id: id, paused: true })).data).toMatchObject({ media_buy_id: id })
  })

  it('waits beyond the limit of new orders, which a raise must not get around', async () => {
    const { id, packageId } = await buy()
    await policy({ approvals: { tasks: { create_media_buy: { when: 'rules', aboveMicros: 2_000_000_000 } } } })
    const { data } = await agent.run('update_media_buy', {
      media_buy_id: id,
      packages: [{ package_id: packageId, budget: 80_000 }],
    })
    expect(data).toMatchObject({ status: 'submitted', message: expect.stringContaining('this size') })
    expect(await stateOf(id)).toMatchObject({ total_budget: 1000, revision: 1 })
  })

  it('waits where its product allows the change by approval alone, a cancellation among them', async () => {
    const { data: order } = await agent.create({ packages: packages('by_hand', 1000) })
    const { media_buy_id: id } = order
    const [{ package_id }] = order.packages
    const raised = await agent.run('update_media_buy', { media_buy_id: id, packages: [{ package_id, budget: 1100 }] })
    expect(raised.data).toMatchObject({
      status: 'submitted',
      message: 'increase_budget has to be confirmed by the sales team for this product',
    })
    const stopped = await agent.run('update_media_buy', { media_buy_id: id, canceled: true })
    expect(stopped.data).toMatchObject({ status: 'submitted', message: expect.stringContaining('cancel') })
    expect(await stateOf(id)).toMatchObject({ total_budget: 1000, revision: 1 })
    expect((await agent.run('update_media_buy', { media_buy_id: id, paused: true })).data).toMatchObject({ media_buy_id: id })
    expect(await approved(stopped.data.task_id)).toMatchObject({ status: 'completed', result: { media_buy_id: id } })
    expect((await stateOf(id)).status).toBe('canceled')
  })

  it('fails when the buy has moved on from the revision that it was for', async () => {
    const { id, packageId } = await buy()
    await policy({ approvals: { tasks: { update_media_buy: ALWAYS } } })
    const { data } = await agent.run('update_media_buy', {
      media_buy_id: id,
      revision: 1,
      packages: [{ package_id: packageId, budget: 3000 }],
    })
    await agent.run('update_media_buy', { media_buy_id: id, paused: true })
    const task = await approved(data.task_id)
    expect(task).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } })
    expect(await stateOf(id)).toMatchObject({ total_budget: 1000, revision: 2 })
  })
})

describe('creatives and accounts', () => {
  it('wait in the same queue, by status', async () => {
    await policy({ creativeReview: 'manual', approvals: { tasks: { sync_accounts: ALWAYS } } })
    await agent.run('sync_creatives', { creatives: [banner(agent.url, 'queued')] })
    const declared = await agent.buyer.call('sync_accounts', {
      idempotency_key: crypto.randomUUID(),
      accounts: [{ brand: { domain: 'new.example' }, operator: 'agency.example', billing: 'operator' }],
    })
    expect(declared.data.accounts[0]).toMatchObject({ status: 'pending_approval', setup: { message: expect.any(String) } })
    const queue = await listQueue(agent.server.store.read, agent.tenant)
    const idOf = (kind: string) => queue.find((entry) => entry.kind === kind)?.id ?? ''
    const yes = { approve: true, conditions: ['one brand only'] } as const
    expect(await decideEntry(services(), agent.tenant, idOf('creative'), yes, at())).toMatchObject({ status: 'approved' })
    expect(await decideEntry(services(), agent.tenant, idOf('account'), yes, at())).toMatchObject({ status: 'active' })
    // The same again is the same; other words would not reach the buyer.
    const other = { approve: true, conditions: ['another'] } as const
    const no = { approve: false, reason: 'no' } as const
    for (const kind of ['creative', 'account']) {
      await decideEntry(services(), agent.tenant, idOf(kind), yes, at())
      const again = (verdict: typeof other | typeof no) => decideEntry(services(), agent.tenant, idOf(kind), verdict, at())
      await expect(again(other)).rejects.toMatchObject({
        code: 'INVALID_STATE',
        message: expect.stringContaining('one brand only'),
      })
      await expect(again(no)).rejects.toMatchObject({ code: 'INVALID_STATE' })
      await decideEntry(services(), agent.tenant, idOf(kind), { approve: true, conditions: [] }, at())
      await expect(again(other)).rejects.toMatchObject({ message: expect.stringContaining('one brand only') })
    }
    const { data } = await agent.buyer.call('list_accounts', { status: 'active' })
    expect(data.accounts.find((account: { advertiser: string }) => account.advertiser === 'new.example')).toMatchObject({
      ext: { status_reason: expect.stringContaining('one brand only') },
    })
    expect((await listQueue(agent.server.store.read, agent.tenant)).filter(({ kind }) => kind !== 'task')).toEqual([])
  })
})
