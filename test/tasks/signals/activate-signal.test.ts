import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SignalSource } from '../../../src/features/signals/signal-source.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { saveSignals } from '../../../src/store/signal/signals.ts'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, SIGNALS } from '../../support/signal-documents.ts'
import { type SignalsAgent, START, startSignalsAgent } from '../../support/signals-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const QUICK = { type: 'platform', platform: 'quick-dsp', account: 'seat-1' }
const SLOW = { type: 'platform', platform: 'slow-dsp' }
const AGENT = { type: 'agent', agent_url: 'https://sales.example/mcp' }

let agent: SignalsAgent
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startSignalsAgent({ sandbox: true, webhooks: { limits: { pollMs: 20 } } })
  agent.server.schemas.validator('core/mcp-webhook-payload.json')({})
})
afterEach(() => agent.setClock(START))
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

/** Another place each time, so that no test finds the deployment of another. */
const seat = (place: object) => ({ ...place, account: `seat-${randomUUID()}` })
const pass = async (iso: string) => {
  agent.setClock(iso)
  agent.server.webhooks.scheduler.wake()
  await agent.server.webhooks.scheduler.idle()
}
const task = async (taskId: string) => (await agent.buyer.call('get_task_status', { task_id: taskId })).data
const deploymentsAt = async (...destinations: object[]) =>
  (await agent.buyer.call('get_signals', { signal_spec: 'electric', destinations })).data.signals[0].deployments

describe('activate_signal', () => {
  it('is live at once where a destination takes no time, with the key that the destination targets by', async () => {
    const places = [seat(QUICK), seat(AGENT)]
    const { data } = await agent.activate({ destinations: places })
    expect(data).toMatchObject({ status: 'completed' })
    expect(data.deployments).toEqual([
      {
        ...places[0],
        is_live: true,
        deployed_at: START.replace('Z', '.000Z'),
        activation_key: { type: 'segment_id', segment_id: expect.any(String) },
      },
      {
        ...places[1],
        is_live: true,
        deployed_at: START.replace('Z', '.000Z'),
        activation_key: { type: 'key_value', key: 'adcp_segment', value: 'ev_buyers' },
      },
    ])
    expect(await deploymentsAt(...places)).toEqual(data.deployments)
  })

  it('gives each buyer a segment of its own, always the same', async () => {
    const destinations = [seat(QUICK)]
    const other = agent.client(await agent.addBuyer({ principal: 'other' }))
    await agent.run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] }, other)
    const key = async (reply: ReturnType<typeof agent.activate>) => (await reply).data.deployments[0].activation_key.segment_id
    const mine = await key(agent.activate({ destinations }))
    expect(await key(agent.activate({ destinations }))).toBe(mine)
    expect(await key(agent.activate({ destinations }, other))).not.toBe(mine)
  })

  it('is a task where a destination takes its time; the clock completes it', async () => {
    const places = [seat(QUICK), seat(SLOW)]
    const { data } = await agent.activate({ destinations: places })
    expect(data).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
    expect(data.deployments.map((each: { is_live: boolean }) => each.is_live)).toEqual([true, false])
    expect(data.deployments[1].estimated_activation_duration_minutes).toBe(30)
    await pass('2026-03-01T12:20:00Z')
    expect(await task(data.task_id)).toMatchObject({ status: 'submitted', task_type: 'activate_signal', protocol: 'signals' })
    expect((await deploymentsAt(...places))[1]).toMatchObject({ is_live: false, estimated_activation_duration_minutes: 10 })
    await pass('2026-03-01T12:30:00Z')
    const done = await task(data.task_id)
    expect(done).toMatchObject({ status: 'completed', result: { deployments: await deploymentsAt(...places) } })
    expect(done.result.deployments[1]).toMatchObject({ is_live: true, activation_key: { type: 'segment_id' } })
  })

  it('tells the end of the task to its webhook', async () => {
    const sandbox = await agent.buyerOn(
      { ...ACCOUNT, brand: { domain: 'trial.example' } },
      { principal: 'tester', sandbox: true },
    )
    const push_notification_config = { url: `${receiver.origin}/live`, operation_id: 'op-1' }
    const call = { destinations: [seat(SLOW)], pricing_option_id: 'ev_buyers_cpm', account: undefined, push_notification_config }
    const { data } = await agent.activate(call, sandbox)
    expect(data).toMatchObject({ status: 'submitted', sandbox: true })
    expect(receiver.at('/live')).toEqual([])
    await pass('2026-03-01T12:31:00Z')
    const [webhook] = await receiver.expect('/live', 1)
    expect(webhook?.body).toMatchObject({
      task_id: data.task_id,
      task_type: 'activate_signal',
      protocol: 'signals',
      status: 'completed',
      operation_id: 'op-1',
      result: { deployments: [{ is_live: true }] },
    })
    expect(new Schemas().validator('core/mcp-webhook-payload.json')(webhook?.body)).toEqual([])
  })

  it('answers a repeated call alike, and a second activation with what is there', async () => {
    const call = { idempotency_key: randomUUID(), destinations: [seat(QUICK)] }
    const first = await agent.activate(call)
    agent.setClock('2026-03-01T13:00:00Z')
    expect((await agent.activate(call)).data).toEqual({ ...first.data, replayed: true })
    const again = await agent.activate({ destinations: call.destinations })
    expect(again.data.deployments).toEqual(first.data.deployments)
  })

  it('deactivates: the segment is gone, and a task that waited for it ends', async () => {
    const places = [seat(SLOW)]
    const { data } = await agent.activate({ destinations: places })
    const ended = await agent.activate({ action: 'deactivate', destinations: places, pricing_option_id: undefined })
    expect(ended.data.deployments).toEqual([{ ...places[0], is_live: false }])
    await pass(START)
    expect(await task(data.task_id)).toMatchObject({ status: 'canceled' })
    await pass('2026-03-01T13:00:00Z')
    expect((await deploymentsAt(...places))[0]).toMatchObject({ is_live: false })
    const never = await agent.activate({ action: 'deactivate', destinations: [seat(AGENT)] })
    expect(never.data.deployments[0].is_live).toBe(false)
    expect((await agent.activate({ destinations: places })).data.status).toBe('submitted')
  })

  it.each<[string, object, object]>([
    ['an unknown segment', { signal_agent_segment_id: 'nobody' }, { code: 'SIGNAL_NOT_FOUND', field: 'signal_agent_segment_id' }],
    ["another agent's private segment", { signal_agent_segment_id: 'private_mix' }, { code: 'SIGNAL_NOT_FOUND' }],
    [
      'a segment that is spelled otherwise',
      { signal_agent_segment_id: 'ev_buyer' },
      {
        code: 'SIGNAL_NOT_FOUND',
        message: expect.stringContaining('there is no such signal: "ev_buyer"; did you mean "ev_buyers"?'),
      },
    ],
    ['no price', { pricing_option_id: undefined }, { code: 'INVALID_REQUEST', field: 'pricing_option_id' }],
    ['a price of others', { pricing_option_id: 'ev_buyers_cpm' }, { code: 'INVALID_REQUEST', field: 'pricing_option_id' }],
    [
      'a platform without the signal',
      { destinations: [QUICK, { type: 'platform', platform: 'other' }] },
      { code: 'INVALID_REQUEST', field: 'destinations[1].platform', suggestion: 'platforms of this signal: quick-dsp, slow-dsp' },
    ],
    [
      'an agent that is none',
      { destinations: [{ type: 'agent', agent_url: 'ftp://x' }] },
      { field: 'destinations[0].agent_url' },
    ],
    ['no destination', { destinations: [] }, { code: 'INVALID_REQUEST', field: 'destinations' }],
  ])('refuses %s and activates nothing', async (_what, args, error) => {
    const { isError, data } = await agent.activate({ destinations: [QUICK], ...args })
    expect(isError).toBe(true)
    expect(data.errors[0]).toMatchObject(error)
    expect(await deploymentsAt(QUICK)).toEqual([expect.objectContaining({ is_live: false })])
  })

  it('needs an account that can pay: the named one, else the only one', async () => {
    const destinations = [seat(QUICK)]
    expect((await agent.activate({ account: undefined, destinations })).data.deployments[0].is_live).toBe(true)
    const poor = agent.client(await agent.addBuyer({ principal: 'poor' }))
    const call = { account: undefined, pricing_option_id: 'ev_buyers_cpm', destinations }
    expect((await agent.activate(call, poor)).data.errors[0].code).toBe('ACCOUNT_NOT_FOUND')
    for (const domain of ['a.example', 'b.example']) {
      await agent.run('sync_accounts', { accounts: [{ brand: { domain }, operator: domain, billing: 'operator' }] }, poor)
    }
    expect((await agent.activate(call, poor)).data.errors[0].code).toBe('ACCOUNT_AMBIGUOUS')
  })

  it('keeps the deployments of another agent out of sight and out of reach', async () => {
    const places = [seat(QUICK)]
    await agent.activate({ destinations: places })
    const other = agent.client(await agent.addBuyer({ principal: 'nosy' }))
    await agent.run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] }, other)
    const seen = await other.call('get_signals', { signal_spec: 'electric', destinations: places })
    expect(seen.data.signals[0].deployments[0].is_live).toBe(false)
    await agent.activate({ action: 'deactivate', destinations: places }, other)
    expect((await deploymentsAt(...places))[0].is_live).toBe(true)
  })
})

describe('activate_signal under a governance plan', () => {
  const BRAND = { domain: 'governed.example' }
  const account = { brand: BRAND, operator: 'agency.example' }
  let sandbox: AgentClient
  beforeAll(async () => {
    sandbox = await agent.buyerOn(account, { principal: 'governed', sandbox: true })
    const plan = {
      plan_id: 'plan-signals',
      brand: BRAND,
      objectives: 'Signals within a hundred dollars',
      budget: { total: 100, currency: 'USD', reallocation_threshold: 50 },
      flight: { start: '2026-03-01T00:00:00Z', end: '2026-06-30T00:00:00Z' },
      countries: ['US'],
    }
    const synced = await agent.run('sync_plans', { plans: [plan] }, sandbox)
    expect(synced.isError, JSON.stringify(synced.data)).toBe(false)
  })

  it('activates nothing that the plan has no money for, whether a price was chosen or not', async () => {
    const call = { account, signal_agent_segment_id: 'hikers', destinations: [QUICK] }
    for (const pricing_option_id of ['hikers_flat', undefined]) {
      const { data } = await agent.activate({ ...call, pricing_option_id }, sandbox)
      expect(data.errors[0]).toMatchObject({ code: 'GOVERNANCE_DENIED' })
    }
    const seen = await sandbox.call('get_signals', { signal_spec: 'hiking', destinations: [QUICK] })
    expect(seen.data.signals[0].deployments[0].is_live).toBe(false)
  })

  it('says what was agreed, and asks again only for what is new', async () => {
    const call = { account, pricing_option_id: 'ev_buyers_cpm', destinations: [QUICK] }
    const { data } = await agent.activate(call, sandbox)
    expect(data.deployments[0].is_live).toBe(true)
    expect(data.ext.governance).toMatchObject({ plan_id: 'plan-signals', checks: [{ status: 'approved' }] })
    expect((await agent.activate(call, sandbox)).data).not.toHaveProperty('ext')
  })

  it('still demands a price where the plan agrees', async () => {
    const { data } = await agent.activate({ account, pricing_option_id: undefined, destinations: [seat(QUICK)] }, sandbox)
    expect(data.errors[0]).toMatchObject({ code: 'INVALID_REQUEST', field: 'pricing_option_id' })
  })
})

describe('activate_signal with a signal source that fails', () => {
  it('takes everything back when a destination refuses, and fails a task whose destination refuses later', async () => {
    const removed: string[] = []
    let refuse = true
    const platformOf = ({ destination }: Parameters<SignalSource['activate']>[0][number]) =>
      destination.type === 'platform' ? destination.platform : ''
    const startWith = async (signals: (own: SignalSource) => SignalSource) => {
      const { createImportedSignals } = await import('../../../src/features/signals/imported-signals.ts')
      const own = createImportedSignals({
        revision: async () => 1,
        load: async () => ({ revision: 1, providers: SIGNALS.data_providers ?? [], signals: SIGNALS.signals, removed: [] }),
      })
      return startSignalsAgent({ signals: signals(own) })
    }
    const failing = await startWith((own) => ({
      ...own,
      activate: async (orders, now) =>
        (await own.activate(orders, now)).map((standing, index) =>
          refuse && orders[index] && platformOf(orders[index]) === 'slow-dsp'
            ? { state: 'failed' as const, reason: 'full' }
            : standing,
        ),
      standing: async (orders) => orders.map(() => ({ state: 'failed', reason: 'full' })),
      deactivate: async (orders) => void removed.push(...orders.map(platformOf)),
    }))
    try {
      const reply = await failing.activate({ destinations: [QUICK, SLOW] })
      expect(reply.data.errors[0]).toMatchObject({ code: 'SERVICE_UNAVAILABLE', field: 'destinations[1]' })
      expect(removed.toSorted()).toEqual(['quick-dsp', 'slow-dsp'])
      refuse = false
      const { data } = await failing.activate({ destinations: [SLOW] })
      failing.setClock('2026-03-01T13:00:00Z')
      failing.server.webhooks.scheduler.wake()
      await failing.server.webhooks.scheduler.idle()
      const { data: over } = await failing.buyer.call('get_task_status', { task_id: data.task_id })
      expect(over).toMatchObject({ status: 'failed', error: { code: 'SERVICE_UNAVAILABLE' } })
    } finally {
      await failing.stop()
    }
  })
})

describe('a signal that is withdrawn', () => {
  it('can no longer be activated, and still be deactivated', async () => {
    const own = await startSignalsAgent()
    try {
      await own.activate()
      const file = { ...SIGNALS, signals: SIGNALS.signals.slice(1) }
      await own.server.store.transaction((tx) => saveSignals(tx, own.tenant, file, { merge: false }, new Date()))
      expect((await own.activate()).data.errors[0].code).toBe('SIGNAL_NOT_FOUND')
      const { isError, data } = await own.activate({ action: 'deactivate' })
      expect(isError).toBe(false)
      expect(data.deployments).toEqual([{ ...QUICK, is_live: false }])
    } finally {
      await own.stop()
    }
  })
})
