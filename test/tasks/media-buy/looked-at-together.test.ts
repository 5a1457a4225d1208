import { afterEach, expect, test } from 'vitest'
import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { listDrift } from '../../../src/store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders } from '../../../src/store/ad-serving/ad-server-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'

const MINUTE = 60_000
const ORDERS = 5

let agent: MediaBuyAgent
let now = Date.parse('2026-03-01T12:00:00Z')
afterEach(() => agent.stop())

/** Lets some time pass and reconciles what is due then. */
async function later(minutes: number) {
  now += minutes * MINUTE
  agent.setClock(new Date(now).toISOString())
  const { store, services, clock, log } = agent.server
  await reconcileDue({ store, clock, log, backends: services.adServers.backends })
}

const orders = () => listAdServerOrders(agent.server.store.read, agent.tenant, { limit: 10 })

/** An agent with five orders in step, whose ad server gives several at once; `asked` are its questions, by how many orders they are about. */
async function sold() {
  const asked: number[] = []
  let broken: Error | undefined
  const memory = createMemoryAdServer()
  const alone = memory.backend.observe.bind(memory.backend)
  const observe: AdServerBackend['observe'] = (key) => {
    asked.push(1)
    return alone(key)
  }
  const observeAll: AdServerBackend['observeAll'] = async (keys) => {
    asked.push(keys.length)
    if (broken) throw broken
    return Promise.all(keys.map(alone))
  }
  now = Date.parse('2026-03-01T12:00:00Z')
  agent = await startMediaBuyAgent([productDocument('news')], {
    backend: { backend: Object.assign(memory.backend, { observe, observeAll }), drift: 'heal' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const ids: string[] = []
  for (let count = 0; count < ORDERS; count += 1) ids.push((await agent.create()).data.media_buy_id)
  await later(0)
  const questions = () => asked.splice(0).sort()
  questions()
  const fail = (error: Error | undefined) => {
    broken = error
  }
  return { memory, ids, questions, fail }
}

test('orders that are in step are looked at together; one that was changed there is looked at again alone, and healed', async () => {
  const { memory, questions } = await sold()
  await later(16)
  expect(questions()).toEqual([ORDERS])
  expect(await orders()).toEqual(
    Array.from({ length: ORDERS }, () => expect.objectContaining({ inStep: true, reason: undefined })),
  )

  const line = memory.orders[2]?.lines[0]
  if (!line) throw new Error('the order has no line')
  line.settings = { ...line.settings, budgetMicros: 1 }
  await later(16)
  // Alone before and after the step.
  expect(questions()).toEqual([1, 1, ORDERS])
  expect(line.settings.budgetMicros).toBe(1_000_000_000)
  const drift = await listDrift(agent.server.store.read, agent.tenant, { states: ['healed'], limit: 10 })
  expect(drift).toMatchObject([{ field: 'budgetMicros', observed: 1 }])
})

test('what a buyer changed is looked at alone, and what is gone is missing', async () => {
  const { memory, ids, questions } = await sold()
  await agent.run('update_media_buy', { media_buy_id: ids[0], paused: true })
  await later(16)
  expect(questions()).toEqual([1, 1, ORDERS - 1])
  expect(memory.orders.map(({ state }) => state).sort()).toEqual(['active', 'active', 'active', 'active', 'paused'])

  memory.orders.splice(0, 1)
  await later(16)
  expect((await orders()).filter(({ inStep }) => !inStep)).toMatchObject([{ reason: expect.stringContaining('missing') }])
  expect(memory.orders).toHaveLength(ORDERS - 1)
})

test('an outage is one of each order that was asked about; what is refused is asked for alone', async () => {
  const { questions, fail } = await sold()
  fail(new Error('the quota is used up'))
  await later(16)
  expect(questions()).toEqual([ORDERS])
  expect((await orders()).map(({ attempts, reason }) => [attempts, reason])).toEqual(
    Array.from({ length: ORDERS }, () => [1, 'the quota is used up']),
  )
  fail(undefined)
  await later(1)
  // They are not in step: each is asked for alone.
  expect(questions()).toEqual(Array.from({ length: ORDERS }, () => 1))

  fail(new AdcpError('INVALID_REQUEST', 'a filter of this length is not taken'))
  await later(16)
  expect(questions()).toEqual([1, 1, 1, 1, 1, ORDERS])
  expect((await orders()).every(({ inStep, reason }) => inStep && reason === undefined)).toBe(true)
})
