import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeApprovalHold } from '../../../src/store/approval/approval-holds.ts'
import { saveProposal } from '../../../src/store/product/proposals.ts'
import { approve, reject } from '../../../src/tasks/approvals/decide.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  const products = [
    productDocument('news'),
    // 10 days at 1,000 impressions: 100 USD at 10 USD CPM.
    productDocument('home', { delivery_type: 'guaranteed' }, { daily_capacity: 1000 }),
    productDocument('takeover', {}, { approval: 'manual' }),
  ]
  agent = await startMediaBuyAgent(products, { sandbox: true })
})
afterAll(() => agent.stop())

const packageOf = (product_id: string, budget: number, more: object = {}) => ({
  product_id,
  pricing_option_id: 'cpm',
  budget,
  ...more,
})

describe('create_media_buy', () => {
  test('confirms at once, with everything the buyer needs next', async () => {
    const { data, isError } = await agent.create({
      packages: [packageOf('news', 1000.5, { context: { line: 7 } }), packageOf('home', 50)],
    })
    expect(isError, JSON.stringify(data)).toBe(false)
    expect(data).toMatchObject({
      status: 'pending_creatives',
      revision: 1,
      confirmed_at: '2026-03-01T12:00:00.000Z',
      account: { status: 'active' },
      packages: [
        { product_id: 'news', budget: 1000.5, pacing: 'even', start_time: '2026-03-02T00:00:00.000Z', context: { line: 7 } },
        { product_id: 'home', budget: 50 },
      ],
    })
    expect(data.valid_actions).toContain('cancel')
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
    expect(listed.media_buys[0]).toMatchObject({
      media_buy_id: data.media_buy_id,
      total_budget: 1050.5,
      currency: 'USD',
      revision: 1,
    })
  })

  test('is idempotent: a retry gives the same buy, and only one exists', async () => {
    const args = { idempotency_key: randomUUID(), po_number: 'po-1' }
    const [first, second] = await Promise.all([agent.create(args), agent.create(args)])
    expect(second.data.media_buy_id).toBe(first.data.media_buy_id)
    expect([first.data.replayed, second.data.replayed]).toContain(true)
    expect(first.data.idempotency_key).toBe(args.idempotency_key)
    expect((await agent.create({ ...args, po_number: 'po-2' })).data.adcp_error.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  test.each([
    ['a past start', { start_time: '2020-01-01T00:00:00Z' }, 'INVALID_REQUEST', 'start_time'],
    [
      'a reversed flight',
      { start_time: '2026-12-31T00:00:00Z', end_time: '2026-01-01T00:00:00Z' },
      'INVALID_REQUEST',
      'end_time',
    ],
    ['an unknown product', { packages: [packageOf('nothing', 5)] }, 'PRODUCT_NOT_FOUND', 'packages[0].product_id'],
    ['an empty budget', { packages: [packageOf('news', 0)] }, 'BUDGET_TOO_LOW', 'packages[0].budget'],
    [
      'an unknown proposal',
      { packages: undefined, proposal_id: 'p-0', total_budget: { amount: 5, currency: 'USD' } },
      'PROPOSAL_NOT_FOUND',
      'proposal_id',
    ],
    ['neither packages nor proposal', { packages: undefined }, 'INVALID_REQUEST', 'packages'],
    [
      'terms that nobody can meet',
      {
        packages: [
          packageOf('news', 5, {
            measurement_terms: { billing_measurement: { vendor: { domain: 'm.example' }, max_variance_percent: 0 } },
          }),
        ],
      },
      'TERMS_REJECTED',
      'packages[0].measurement_terms',
    ],
  ])('refuses %s', async (_case, overrides, code, field) => {
    const { data, isError } = await agent.create(overrides)
    expect(isError).toBe(true)
    expect(data.adcp_error).toMatchObject({ code, field, recovery: 'correctable' })
  })

  test('executes a proposal of the buyer’s own', async () => {
    const proposal = {
      proposal_id: 'plan-1',
      name: 'Plan',
      proposal_status: 'committed' as const,
      expires_at: '2026-03-03T00:00:00Z',
      allocations: [
        { product_id: 'news', allocation_percentage: 66.67 },
        { product_id: 'takeover', allocation_percentage: 0 },
        { product_id: 'home', allocation_percentage: 33.33 },
      ],
    }
    const owner = { tenantId: agent.tenant, principalId: 'buyer' }
    await agent.server.store.transaction((tx) =>
      saveProposal(tx, owner, proposal, { accountId: undefined, expectedRevision: 0 }, new Date()),
    )
    const { data } = await agent.create({
      packages: undefined,
      proposal_id: 'plan-1',
      total_budget: { amount: 100.01, currency: 'USD' },
    })
    expect(data.packages.map((pkg: { budget: number }) => pkg.budget)).toEqual([66.68, 33.33])
  })

  test('an order that waits for a person says too that it runs on other days than its proposal', async () => {
    const proposal = {
      proposal_id: 'plan-march',
      name: 'Plan',
      proposal_status: 'committed' as const,
      expires_at: '2026-03-03T00:00:00Z',
      allocations: [{ product_id: 'takeover', allocation_percentage: 100 }],
      ext: { flight: { start_date: '2026-04-01', end_date: '2026-04-30' } },
    }
    const owner = { tenantId: agent.tenant, principalId: 'buyer' }
    await agent.server.store.transaction((tx) =>
      saveProposal(tx, owner, proposal, { accountId: undefined, expectedRevision: 0 }, new Date()),
    )
    const total_budget = { amount: 100, currency: 'USD' }
    const { data } = await agent.create({ packages: undefined, proposal_id: 'plan-march', total_budget })
    expect(data.status, JSON.stringify(data)).toBe('submitted')
    expect(data.ext.notes).toEqual([
      expect.stringMatching(/^The proposal is for 2026-04-01 to 2026-04-30; the order runs from 2026-03-02T/),
    ])
  })

  test('submits what the sales team sells, and books nothing for it', async () => {
    const { data } = await agent.create({ packages: [packageOf('takeover', 500)] })
    expect(data).toMatchObject({ status: 'submitted', message: expect.stringContaining('sales team') })
    expect(data).not.toHaveProperty('media_buy_id')
    const task = await agent.buyer.call('tasks/get', { task_id: data.task_id })
    expect(task.data).toMatchObject({ status: 'submitted', task_type: 'create_media_buy' })
  })

  test('what the seller approves is bought on the terms of the submission, once', async () => {
    const { data } = await agent.create({ packages: [packageOf('takeover', 500)] })
    const { store, services } = agent.server
    const at = new Date('2026-03-04T00:00:00Z')
    const twice = await Promise.all([1, 2].map(() => approve({ ...services, store }, agent.tenant, data.task_id, [], at)))
    expect(twice[0]).toEqual(twice[1])
    const { data: task } = await agent.buyer.call('tasks/get', { task_id: data.task_id })
    expect(task).toMatchObject({ status: 'completed', result: { status: 'pending_creatives', packages: [{ budget: 500 }] } })
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [task.result.media_buy_id] })
    expect(listed.media_buys).toMatchObject([{ confirmed_at: at.toISOString(), total_budget: 500 }])
    await expect(reject(store, agent.tenant, data.task_id, 'late', at)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  test('what the seller declines ends its task and buys nothing', async () => {
    const { data } = await agent.create({ packages: [packageOf('takeover', 500)] })
    const { store } = agent.server
    await reject(store, agent.tenant, data.task_id, 'Not in this season', new Date())
    const { data: task } = await agent.buyer.call('tasks/get', { task_id: data.task_id })
    expect(task).toMatchObject({ status: 'rejected', message: 'Not in this season' })
    expect(task).not.toHaveProperty('result')
  })

  test('holds the next order of a sandbox agent for approval when that is asked for, once', async () => {
    const sandbox = await agent.buyerOn(ACCOUNT, { principal: 'held', sandbox: true })
    const owner = { tenantId: agent.tenant, principalId: 'held' }
    await agent.server.store.transaction((tx) =>
      placeApprovalHold(tx, owner, { taskId: 'task_io', message: 'Awaiting signature' }, new Date()),
    )
    const { data } = await agent.create({}, sandbox)
    expect(data).toMatchObject({ status: 'submitted', task_id: 'task_io', message: 'Awaiting signature' })
    expect((await agent.create({}, sandbox)).data.status).toBe('pending_creatives')
  })

  test('a webhook secret is kept neither in the answer nor with the order', async () => {
    const credentials = 'very-secret-very-secret-very-secret'
    const push = { url: 'https://buyer.example/hook', authentication: { schemes: ['HMAC-SHA256'], credentials } }
    // Registering a shared secret takes a signature, which only sandbox agents are let off.
    const sandbox = await agent.buyerOn(ACCOUNT, { principal: 'hooked', sandbox: true })
    const { data } = await agent.create({ packages: [packageOf('takeover', 500)], push_notification_config: push }, sandbox)
    expect(data.status, JSON.stringify(data)).toBe('submitted')
    const { read } = agent.server.store
    const rows = [await read.selectFrom('tasks').selectAll().execute(), await read.selectFrom('approvals').selectAll().execute()]
    expect(JSON.stringify([data, rows])).not.toContain(credentials)
  })
})

describe('inventory', () => {
  test('concurrent buyers cannot sell a guaranteed day twice', async () => {
    const flight = { start_time: '2026-05-01T00:00:00Z', end_time: '2026-05-11T00:00:00Z' }
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => agent.create({ ...flight, packages: [packageOf('home', 30)] })),
    )
    expect(replies.filter((reply) => !reply.isError)).toHaveLength(3)
    expect(new Set(replies.filter((reply) => reply.isError).map((reply) => reply.data.adcp_error.code))).toEqual(
      new Set(['PRODUCT_UNAVAILABLE']),
    )
    const days = await agent.server.store.read
      .selectFrom('inventory_periods')
      .selectAll()
      .where('period', '>=', '2026-05-01')
      .execute()
    expect(days.map((day) => day.reserved)).toEqual(Array(10).fill(900))
  })

  test('a canceled buy gives its inventory back', async () => {
    const flight = { start_time: '2026-06-01T00:00:00Z', end_time: '2026-06-11T00:00:00Z', packages: [packageOf('home', 100)] }
    const { data: bought } = await agent.create(flight)
    expect((await agent.create(flight)).data.adcp_error.code).toBe('PRODUCT_UNAVAILABLE')
    await agent.run('update_media_buy', { media_buy_id: bought.media_buy_id, canceled: true })
    expect((await agent.create(flight)).data.media_buy_id).toBeDefined()
  })

  test('a flight of 30 years is sold, shortened and given back like a short one', async () => {
    const flight = { start_time: '2031-05-14T12:00:00Z', end_time: '2061-05-14T12:00:00Z' }
    const decades = { ...flight, packages: [packageOf('home', 40_000)] }
    const days = (start: string, end: string, budget: number) =>
      agent.create({ start_time: `${start}T00:00:00Z`, end_time: `${end}T00:00:00Z`, packages: [packageOf('home', budget)] })
    const { data: bought } = await agent.create(decades)
    expect(bought.media_buy_id, JSON.stringify(bought)).toBeDefined()
    expect((await agent.create(decades)).isError).toBe(false)
    expect((await agent.create(decades)).data.adcp_error).toMatchObject({
      code: 'PRODUCT_UNAVAILABLE',
      details: { product_id: 'home', available_impressions: expect.any(Number) },
    })
    // On each day inside it 270 of 1,000 are left, on the day before all of them.
    expect((await days('2045-06-01', '2045-06-11', 28)).isError).toBe(true)
    expect((await days('2045-06-01', '2045-06-11', 26)).isError).toBe(false)
    expect((await days('2031-05-13', '2031-05-14', 10)).isError).toBe(false)
    expect((await days('2061-05-15', '2061-05-16', 10)).isError).toBe(false)
    const id = { media_buy_id: bought.media_buy_id }
    const { data: shorter } = await agent.run('update_media_buy', { ...id, end_time: '2061-05-01T00:00:00Z' })
    expect(shorter.media_buy_id, JSON.stringify(shorter)).toBe(bought.media_buy_id)
    expect((await days('2061-05-04', '2061-05-14', 60)).isError).toBe(false)
    await agent.run('update_media_buy', { ...id, canceled: true })
    expect((await agent.create({ ...decades, end_time: '2061-05-01T00:00:00Z' })).isError).toBe(false)
    const longest = { start_time: '2070-01-01T00:00:00Z', end_time: '9999-12-29T23:59:59Z', packages: [packageOf('home', 30)] }
    const { data: last } = await agent.create(longest)
    expect(last.media_buy_id, JSON.stringify(last)).toBeDefined()
    await agent.run('update_media_buy', { media_buy_id: last.media_buy_id, canceled: true })
  })

  test('a sandbox buyer has a pool of its own', async () => {
    const flight = { start_time: '2026-07-01T00:00:00Z', end_time: '2026-07-11T00:00:00Z', packages: [packageOf('home', 100)] }
    const sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
    expect((await agent.create(flight, sandbox)).isError).toBe(false)
    expect((await agent.create(flight)).isError).toBe(false)
  })
})
