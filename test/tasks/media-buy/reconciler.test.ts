import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { reconcileDue, startReconciler } from '../../../src/ad-serving/reconcile/reconciler.ts'
import type { DriftPolicy } from '../../../src/domain/ad-serving/drift.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { listDrift } from '../../../src/store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders, makeDue } from '../../../src/store/ad-serving/ad-server-orders.ts'
import { settleReviews } from '../../../src/tasks/media-buy/settle-review.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer, type MemoryAdServer } from '../../support/memory-ad-server.ts'

const MINUTE = 60_000
const START = Date.parse('2026-03-01T12:00:00Z')

let agent: MediaBuyAgent
let now = START
afterEach(() => agent.stop())

/** An agent on an ad server in memory. The background job never runs by itself: the test does it. */
async function start(server: MemoryAdServer, drift: DriftPolicy = 'heal', beforeStep?: () => void) {
  now = START
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('home')], {
    backend: { backend: server.backend, drift },
    reconciler: { timing: { everyMs: 3_600_000 }, ...(beforeStep && { beforeStep }) },
  })
}

/** Lets some time pass and reconciles what is due then. */
async function later(minutes: number, beforeStep?: () => void) {
  now += minutes * MINUTE
  agent.setClock(new Date(now).toISOString())
  const { store, services, clock, log } = agent.server
  const settleReview = settleReviews({ ...services, store }, clock, services.webhooks.wake)
  await reconcileDue({
    store,
    clock,
    log,
    backends: services.adServers.backends,
    settleReview,
    ...(beforeStep && { beforeStep }),
  })
}

const orders = () => listAdServerOrders(agent.server.store.read, agent.tenant, { limit: 10 })
const drift = () =>
  listDrift(agent.server.store.read, agent.tenant, { states: ['open', 'healed', 'adopted', 'gone', 'superseded'], limit: 10 })

async function uploadBanner(packageId: string, url = 'https://cdn.example.com/a.png') {
  const synced = await agent.run('sync_creatives', {
    creatives: [
      {
        creative_id: 'banner',
        name: 'Banner',
        format_id: { agent_url: agent.url, id: 'display_300x250' },
        assets: {
          banner_image: { asset_type: 'image', url, width: 300, height: 250 },
          click_url: { asset_type: 'url', url: 'https://shop.example.com' },
        },
      },
    ],
    assignments: [{ creative_id: 'banner', package_id: packageId }],
  })
  if (synced.isError || synced.data.creatives[0].errors) throw new Error(JSON.stringify(synced.data))
}

describe('an order is brought to its ad server', () => {
  test('when it is bought, with everything that changes later: creatives, budget, dates, pause, end', async () => {
    const server = createMemoryAdServer()
    await start(server)
    const { data } = await agent.create()
    expect(server.calls).toEqual([])
    await later(0)
    const [order] = server.orders
    const [line] = order?.lines ?? []
    const [{ package_id: packageId }] = data.packages
    expect(order).toMatchObject({ key: { tenantId: 'acme', externalId: data.media_buy_id }, state: 'active' })
    expect(line).toMatchObject({
      externalId: packageId,
      state: 'active',
      settings: { budgetMicros: 1_000_000_000 },
      associations: [],
    })

    await uploadBanner(packageId)
    await later(0)
    expect(order?.creatives.map(({ externalId }) => externalId)).toEqual(['banner'])
    expect(line?.associations).toEqual([{ creativeExternalId: 'banner', weight: null, placementIds: null }])

    const before = order?.creatives[0]?.contentVersion
    await uploadBanner(packageId, 'https://cdn.example.com/b.png')
    await later(0)
    expect(order?.creatives[0]?.contentVersion).not.toBe(before)

    const update = (change: object) => agent.run('update_media_buy', { media_buy_id: data.media_buy_id, ...change })
    await update({ end_time: '2026-03-20T00:00:00Z', packages: [{ package_id: packageId, budget: 1500, paused: true }] })
    await later(0)
    expect(line).toMatchObject({ state: 'paused', settings: { budgetMicros: 1_500_000_000, endsAt: '2026-03-20T00:00:00.000Z' } })
    await update({ paused: true, packages: [{ package_id: packageId, paused: false }] })
    await later(0)
    expect([order?.state, line?.state]).toEqual(['paused', 'active'])
    await update({ canceled: true })
    await later(0)
    expect(order?.state).toBe('ended')
    expect(server.orders).toHaveLength(1)
    expect(await orders()).toMatchObject([{ inStep: true, reason: undefined }])
  })

  test('again, when someone asks for it while a look at it is under way', async () => {
    const server = createMemoryAdServer()
    await start(server)
    const { data } = await agent.create()
    await later(0)
    const ask = () =>
      agent.server.store.transaction((tx) => makeDue(tx, agent.tenant, { mediaBuyId: data.media_buy_id }, new Date(now)))
    const { observe } = server.backend
    let looks = 0
    vi.spyOn(server.backend, 'observe').mockImplementation(async (key) => {
      const seen = await observe(key)
      looks += 1
      // Something changes there after it was read, and a person says so.
      if (looks === 1) await ask()
      return seen
    })
    await ask()
    await later(0)
    expect(looks).toBe(1)
    // The clock has not moved: only what was asked for makes it due.
    await later(0)
    expect(looks).toBe(2)
    await later(0)
    expect(looks).toBe(2)
    expect(await orders()).toMatchObject([{ inStep: true, attempts: 0 }])
  })

  test('once, also when the process dies between any two steps', async () => {
    const server = createMemoryAdServer()
    await start(server)
    const { data } = await agent.create({
      packages: ['news', 'home'].map((product_id) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 })),
    })
    for (const { package_id } of data.packages) await uploadBanner(package_id)
    // put_order, put_creative, and put_line, associate, set_line_state of two lines
    const steps = 8
    for (let survived = 0; survived <= steps; survived++) {
      // Each attempt takes one step and dies before the next. The lease of the dead process ends first.
      let taken = 0
      await later(2, () => {
        if (taken++ > 0) throw new Error('killed')
      })
    }
    await later(10)
    expect(server.calls.toSorted()).toEqual(
      [
        `putOrder ${data.media_buy_id}`,
        'putCreative banner',
        ...data.packages.flatMap(({ package_id: id }: { package_id: string }) => [
          `putLine ${id}`,
          `associate ${id}`,
          `setLineState ${id} active`,
        ]),
      ].toSorted(),
    )
    expect(await orders()).toMatchObject([{ inStep: true, attempts: 0 }])
    expect(await drift()).toEqual([])
  })

  test('as the buyer wants it last, when several processes die over newer and newer values: none of these is drift', async () => {
    const server = createMemoryAdServer()
    await start(server, 'leave')
    const { data } = await agent.create({
      packages: ['news', 'home'].map((product_id) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 })),
    })
    await later(0)
    const [order] = server.orders
    const budgets = () => order?.lines.map(({ settings }) => settings.budgetMicros)
    for (const [budget, steps] of [
      [1500, 2],
      [2000, 0],
      [2500, 0],
    ] as const) {
      const packages = data.packages.map(({ package_id }: { package_id: string }) => ({ package_id, budget }))
      const changed = await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, packages })
      expect(changed.isError).toBe(false)
      let taken = 0
      await later(5, () => {
        if (taken++ >= steps) throw new Error('killed')
      })
    }
    expect(budgets()?.toSorted()).toEqual([1_000_000_000, 1_500_000_000])
    await later(10)
    expect(budgets()).toEqual([2_500_000_000, 2_500_000_000])
    expect(await drift()).toEqual([])
    expect(await orders()).toMatchObject([{ inStep: true, attempts: 0 }])
  })

  test('later, when it is away: it waits with the reason, which the buyer does not see', async () => {
    const server = createMemoryAdServer()
    await start(server)
    server.down = new Error('connect ECONNREFUSED')
    const { isError } = await agent.create()
    expect(isError).toBe(false)
    await later(0)
    expect(await orders()).toMatchObject([{ inStep: false, attempts: 1, reason: 'connect ECONNREFUSED' }])
    await later(0)
    expect(await orders()).toMatchObject([{ attempts: 1 }])
    await later(1)
    expect(await orders()).toMatchObject([{ attempts: 2 }])
    server.down = undefined
    await later(1)
    expect(await orders()).toMatchObject([{ inStep: true, attempts: 0, reason: undefined }])
    expect(server.orders).toHaveLength(1)
  })

  test('and stays as it is when it is refused, with what the ad server says', async () => {
    const server = createMemoryAdServer({
      putLine: () => Promise.reject(new AdcpError('BUDGET_TOO_LOW', 'lines start at 5,000')),
    })
    await start(server)
    await agent.create()
    await later(0)
    expect(await orders()).toMatchObject([{ inStep: false, reason: 'refused by the ad server: lines start at 5,000' }])
  })
})

test('what the ad server cannot keep is refused, naming the field and what it can', async () => {
  await start(createMemoryAdServer())
  const { data } = await agent.create({
    packages: [
      {
        product_id: 'news',
        pricing_option_id: 'cpm',
        budget: 1000,
        targeting_overlay: { negative_keywords: [{ keyword: 'war', match_type: 'broad' }] },
      },
    ],
  })
  expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  expect(data.adcp_error.message).toContain('targeting by negative_keywords; its packages can be targeted by: geo_countries')
})

test('a change that the ad server cannot make is refused, and the order stays as it is', async () => {
  const { capabilities } = createMemoryAdServer().backend
  const server = createMemoryAdServer({ capabilities: { ...capabilities, changesLines: false, pauses: false, ends: false } })
  await start(server)
  const { data } = await agent.create()
  await later(0)
  const { package_id } = data.packages[0]
  const changes = [
    { paused: true },
    { canceled: true },
    { packages: [{ package_id, budget: 1500 }] },
    { end_time: '2026-03-20T00:00:00Z' },
  ]
  for (const change of changes) {
    const { data: refused } = await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, ...change })
    expect(refused.adcp_error, JSON.stringify(change)).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  }
  const calls = server.calls.length
  await later(20)
  expect(server.calls).toHaveLength(calls)
  expect(await orders()).toMatchObject([{ inStep: true }])
})

describe('what someone changes at the ad server', () => {
  async function drifted(policy: DriftPolicy) {
    const server = createMemoryAdServer()
    await start(server, policy)
    const { data } = await agent.create()
    await later(0)
    const line = server.orders[0]?.lines[0]
    if (!line) throw new Error('no line')
    line.settings = { ...line.settings, budgetMicros: 7 }
    line.state = 'paused'
    await later(20)
    return { server, line, buy: data }
  }

  test('is found and healed', async () => {
    const { line } = await drifted('heal')
    expect(line).toMatchObject({ state: 'active', settings: { budgetMicros: 1_000_000_000 } })
    expect(await drift()).toMatchObject([
      { state: 'healed', expected: expect.anything(), observed: expect.anything() },
      { state: 'healed' },
    ])
  })

  test('is found and left, until the buyer changes the same thing', async () => {
    const { line, buy } = await drifted('leave')
    expect(line).toMatchObject({ state: 'paused', settings: { budgetMicros: 7 } })
    expect((await drift()).map(({ field, state }) => `${field} ${state}`).toSorted()).toEqual(['budgetMicros open', 'state open'])
    const packages = [{ package_id: buy.packages[0].package_id, budget: 1200 }]
    await agent.run('update_media_buy', { media_buy_id: buy.media_buy_id, packages })
    await later(0)
    expect(line).toMatchObject({ state: 'paused', settings: { budgetMicros: 1_200_000_000 } })
  })

  test('is found and adopted: it is what is wanted from then on', async () => {
    const { line, server } = await drifted('adopt')
    expect((await drift()).map(({ state }) => state)).toEqual(['adopted', 'adopted'])
    const calls = server.calls.length
    await later(20)
    expect(server.calls).toHaveLength(calls)
    expect(line).toMatchObject({ state: 'paused', settings: { budgetMicros: 7 } })
    line.settings = { ...line.settings, budgetMicros: 8 }
    await later(20)
    expect(line.settings.budgetMicros).toBe(8)
  })

  test.each(['heal', 'adopt', 'leave'] as const)('stays found once while a line of theirs is there (%s)', async (policy) => {
    const server = createMemoryAdServer()
    await start(server, policy)
    await agent.create()
    await later(0)
    const [order] = server.orders
    order?.lines.push({ id: 'theirs', state: 'active', settings: {}, associations: [] })
    for (let check = 0; check < 3; check++) await later(20)
    expect(await drift()).toMatchObject([{ field: 'added', observed: ['theirs'], state: 'open' }])
    expect(order?.lines.map(({ id }) => id)).toContain('theirs')
    order?.lines.splice(1)
    await later(20)
    expect(await drift()).toMatchObject([{ field: 'added', state: 'gone' }])
  })

  test('goes on to be looked at when they end an order and it is left', async () => {
    const server = createMemoryAdServer()
    await start(server, 'leave')
    await agent.create()
    await later(0)
    const [order] = server.orders
    if (order) order.state = 'ended'
    for (let check = 0; check < 2; check++) await later(20)
    expect(await drift()).toMatchObject([{ field: 'state', expected: 'active', observed: 'ended', state: 'open' }])
    if (order) order.state = 'active'
    await later(20)
    expect(await drift()).toMatchObject([{ field: 'state', state: 'gone' }])
  })

  test('is closed when they take it back', async () => {
    const { line } = await drifted('leave')
    line.state = 'active'
    line.settings = { ...line.settings, budgetMicros: 1_000_000_000 }
    await later(20)
    expect((await drift()).map(({ state }) => state)).toEqual(['gone', 'gone'])
  })
})

test('delivery comes from the ledger: days of the buyer, corrections as revisions', async () => {
  const server = createMemoryAdServer()
  await start(server)
  const { data } = await agent.create({ idempotency_key: randomUUID() })
  await later(0)
  const [{ package_id: lineExternalId }] = data.packages
  const row = (period: string, impressions: number) => ({
    ...NOTHING,
    lineExternalId,
    creativeExternalId: 'banner',
    period,
    impressions,
    spendMicros: impressions * 10_000,
  })
  server.delivered.push(row('2026-03-02T10', 1000), row('2026-03-02T11', 500), row('2026-03-03T00', 200))
  const report = async () => {
    now += 20 * MINUTE
    agent.setClock(new Date(Math.max(now, Date.parse('2026-03-03T12:00:00Z'))).toISOString())
    now = Math.max(now, Date.parse('2026-03-03T12:00:00Z'))
    const { importDelivery } = await import('../../../src/ad-serving/reconcile/import-delivery.ts')
    const { store, services, clock, log } = agent.server
    await importDelivery(
      { store, clock, log, backends: services.adServers.backends },
      { reportMs: MINUTE, retryMs: 1, callMs: 1000 },
    )
    const { data: answer } = await agent.buyer.call('get_media_buy_delivery', {
      media_buy_ids: [data.media_buy_id],
      include_package_daily_breakdown: true,
    })
    return answer.media_buy_deliveries[0]
  }
  expect((await report()).totals).toMatchObject({ impressions: 1700, spend: 17 })
  // Half of an hour was invalid traffic.
  server.delivered[0] = row('2026-03-02T10', 400)
  const corrected = await report()
  expect(corrected.totals).toMatchObject({ impressions: 1100, spend: 11 })
  const { deliveryRevisions } = await import('../../../src/store/ad-serving/delivery-ledger.ts')
  const revisions = await deliveryRevisions(agent.server.store.read, agent.tenant, lineExternalId, 10)
  expect(revisions.map(({ period, revision, impressions }) => [period, revision, impressions])).toEqual([
    ['2026-03-02T10', 1, 1000],
    ['2026-03-02T10', 2, 400],
    ['2026-03-02T11', 1, 500],
    ['2026-03-03T00', 1, 200],
  ])
})

test('an ad server that counts at once is asked for reports as often as it says', async () => {
  const { capabilities } = createMemoryAdServer().backend
  const reports = { ...capabilities.reports, everyMs: 5_000 }
  await start(createMemoryAdServer({ capabilities: { ...capabilities, reports } }))
  await agent.create({ idempotency_key: randomUUID() })
  await later(0)
  const { importDelivery } = await import('../../../src/ad-serving/reconcile/import-delivery.ts')
  const { dueReports } = await import('../../../src/store/ad-serving/ad-server-reports.ts')
  const { store, services, clock, log } = agent.server
  const parts = { store, clock, log, backends: services.adServers.backends }
  await importDelivery(parts, { reportMs: MINUTE, retryMs: 1, callMs: 1000 })
  const due = (inMs: number) => dueReports(store.read, new Date(clock().getTime() + inMs), 10)
  expect([await due(4_999), await due(5_000)]).toMatchObject([[], [{ adServer: 'memory' }]])
})

test('an order is brought to its ad server when it is committed, not at the next interval', async () => {
  const server = createMemoryAdServer()
  now = START
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('home')], {
    backend: { backend: server.backend, drift: 'heal' },
    // A change is looked at within a fifth of it; the test gives up before the interval is over.
    reconciler: { timing: { everyMs: 40_000 } },
  })
  const { data } = await agent.create()
  await vi.waitFor(() => expect(server.orders.map(({ key }) => key.externalId)).toEqual([data.media_buy_id]), {
    timeout: 38_000,
    interval: 50,
  })
})

test('a store that cannot be asked for commits for a while ends nothing, and is asked again', async () => {
  await start(createMemoryAdServer())
  const { store, services, clock, log } = agent.server
  let asked = 0
  const failing = {
    ...store,
    dataVersion: () => {
      asked++
      if (asked > 1 && asked < 4) throw new Error('the store cannot be read')
      return store.dataVersion()
    },
  }
  const timing = { everyMs: 100 }
  const job = startReconciler({ store: failing, clock, log, backends: services.adServers.backends, timing })
  await vi.waitFor(() => expect(asked).toBeGreaterThan(5), { timeout: 60_000, interval: 20 })
  await job.stop()
  const atStop = asked
  await sleep(100)
  expect(asked).toBe(atStop)
})
