import { afterEach, describe, expect, test } from 'vitest'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import type { DriftPolicy } from '../../../src/domain/ad-serving/drift.ts'
import { confirmGone } from '../../../src/operator/ad-servers/confirm-gone.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { listDrift } from '../../../src/store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders, makeDue } from '../../../src/store/ad-serving/ad-server-orders.ts'
import { settleChanges } from '../../../src/tasks/media-buy/settle-changes.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer, type MemoryAdServer } from '../../support/memory-ad-server.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'

const POLICIES = ['heal', 'adopt', 'leave'] as const

let agent: MediaBuyAgent
afterEach(() => agent.stop())

/** An order that is at an ad server in memory, which confirms changes when they were seen there. */
async function sold(drift: DriftPolicy) {
  const { capabilities } = createMemoryAdServer().backend
  const server = createMemoryAdServer({ capabilities: { ...capabilities, changes: 'observed' } })
  agent = await startMediaBuyAgent([productDocument('news')], {
    backend: { backend: server.backend, drift },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const { data } = await agent.create()
  await look()
  return { server, mediaBuyId: String(data.media_buy_id), packageId: String(data.packages[0].package_id) }
}

async function look() {
  const { store, services, clock, log } = agent.server
  await store.transaction((tx) => makeDue(tx, agent.tenant, {}, clock()))
  const changes = settleChanges(store, clock, services.webhooks.wake)
  await reconcileDue({ store, clock, log, backends: services.adServers.backends, settleChanges: changes })
}

const open = () => listDrift(agent.server.store.read, agent.tenant, { states: ['open'], limit: 10 })
const place = async () => (await listAdServerOrders(agent.server.store.read, agent.tenant, { limit: 1 }))[0]
const gone = async () => {
  const [drift] = await open()
  if (!drift) throw new Error('nothing is missing')
  return performAs(operatorBeside(agent, agent.server.clock), agent.tenant, confirmGone, { drift: drift.driftId })
}
const update = (change: object) => agent.run('update_media_buy', change)
const task = async (taskId: string) => (await agent.buyer.call('tasks/get', { task_id: taskId })).data
const remove = (server: MemoryAdServer) => server.orders.splice(0)

describe('an order that cannot be found', () => {
  test.each(POLICIES)('is missing, has nothing in its place, and goes on when it is back (%s)', async (policy) => {
    const { server } = await sold(policy)
    const removed = remove(server)
    for (let time = 0; time < 3; time += 1) await look()
    expect(server.orders).toEqual([])
    expect(await open()).toMatchObject([{ subject: 'order', field: 'missing', observed: null }])
    expect(await place()).toMatchObject({ inStep: false, reason: expect.stringContaining('missing at the ad server: order') })
    server.orders.push(...removed)
    await look()
    expect(await open()).toEqual([])
    expect(await place()).toMatchObject({ inStep: true, reason: undefined })
  })

  test('lets changes of the buyer wait, who reads why; they are confirmed when they were seen', async () => {
    const { server, mediaBuyId, packageId } = await sold('heal')
    const removed = remove(server)
    await look()
    const { data: answer } = await update({ media_buy_id: mediaBuyId, packages: [{ package_id: packageId, budget: 1500 }] })
    expect(answer).toMatchObject({ status: 'submitted', message: expect.stringContaining('cannot be found') })
    const { data: shown } = await agent.buyer.call('get_media_buys', { media_buy_ids: [mediaBuyId] })
    expect(shown.media_buys[0].ext.waits_for).toContainEqual({
      for: 'ad_server',
      message: `the change ${answer.task_id} is recorded; the publisher's ad server was not seen to have it yet`,
    })
    const { data: canceled } = await update({ media_buy_id: mediaBuyId, canceled: true })
    expect(canceled).toMatchObject({ status: 'submitted', message: expect.stringContaining('cannot be found') })
    for (let time = 0; time < 3; time += 1) await look()
    expect(await place()).toMatchObject({ inStep: false })
    server.orders.push(...removed)
    await look()
    expect(server.orders).toMatchObject([{ state: 'ended' }])
    expect(await place()).toMatchObject({ inStep: true })
    const { data: made } = await agent.buyer.call('get_media_buys', { media_buy_ids: [mediaBuyId] })
    expect(made.media_buys[0].ext?.waits_for).toBeUndefined()
  })

  test('is booked anew when a person says that it is gone', async () => {
    const { server } = await sold('leave')
    remove(server)
    await look()
    expect(await gone()).toMatchObject({ state: 'gone', subject: 'order' })
    await look()
    expect(server.orders).toHaveLength(1)
    expect(await place()).toMatchObject({ inStep: true })
  })

  test('is over when the buyer has ended it and a person says that it is gone', async () => {
    const { server, mediaBuyId } = await sold('leave')
    remove(server)
    await look()
    await update({ media_buy_id: mediaBuyId, canceled: true })
    await gone()
    await look()
    expect(server.orders).toEqual([])
    expect(await place()).toMatchObject({ inStep: true })
  })

  test('may be a line: the rest of the order goes on', async () => {
    const { server, packageId } = await sold('heal')
    const [order] = server.orders
    order?.lines.splice(0)
    for (let time = 0; time < 2; time += 1) await look()
    expect(order?.lines).toEqual([])
    expect(await open()).toMatchObject([{ subject: `line ${packageId}`, field: 'missing' }])
    await gone()
    await look()
    expect(order?.lines).toMatchObject([{ externalId: packageId, state: 'active' }])
    expect(await open()).toEqual([])
  })
})

describe('a change that its ad server confirms', () => {
  test('is submitted until it was seen there', async () => {
    const { server, mediaBuyId, packageId } = await sold('leave')
    const { data } = await update({ media_buy_id: mediaBuyId, packages: [{ package_id: packageId, budget: 1500 }] })
    expect(data).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
    expect(await task(data.task_id)).toMatchObject({ status: 'submitted' })
    expect(await place()).toMatchObject({ inStep: false })
    await look()
    expect(server.orders[0]?.lines).toMatchObject([{ settings: { budgetMicros: 1_500_000_000 } }])
    expect(await task(data.task_id)).toMatchObject({ status: 'completed' })
    expect(await place()).toMatchObject({ inStep: true })
  })

  test('that the ad server refuses waits with its words', async () => {
    const { server, mediaBuyId, packageId } = await sold('leave')
    server.down = new AdcpError('BUDGET_TOO_LOW', 'lines start at 5,000')
    const { data } = await update({ media_buy_id: mediaBuyId, packages: [{ package_id: packageId, budget: 1500 }] })
    await look()
    expect(await task(data.task_id)).toMatchObject({ status: 'submitted' })
    expect(JSON.stringify(await task(data.task_id))).toContain('lines start at 5,000')
  })
})

test('what someone changed and that is left is not in step', async () => {
  const { server } = await sold('leave')
  const [line] = server.orders[0]?.lines ?? []
  if (line) line.settings = { ...line.settings, budgetMicros: 7 }
  await look()
  expect(await place()).toMatchObject({ inStep: false })
})
