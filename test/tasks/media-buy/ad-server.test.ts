import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AdServer } from '../../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../../src/ad-serving/simulator/simulator.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

/** An ad server that keeps a log of what it was asked, sees unlimited inventory and can be out of order. */
const calls: { call: string; anchor: string; orderId?: string }[] = []
let down = false
const simulator = createSimulator()
const recording: AdServer = {
  ...simulator,
  checkAvailability: async (queries) =>
    queries.map(({ productId, impressions }) => ({ productId, available: impressions, sufficient: true })),
  async book(anchor, mediaBuyId, lines) {
    if (down) throw new AdcpError('SERVICE_UNAVAILABLE', 'the ad server cannot be reached', { retryAfter: 5 })
    const booking = await simulator.book(anchor, mediaBuyId, lines)
    calls.push({ call: 'book', anchor, orderId: booking.orderId })
    return booking
  },
  async change(anchor, orderId, lines, mediaBuyId) {
    calls.push({ call: 'change', anchor, orderId })
    return simulator.change(anchor, orderId, lines, mediaBuyId)
  },
  async cancel(anchor, orderId, lineIds) {
    calls.push({ call: lineIds ? 'cancel lines' : 'cancel', anchor, orderId })
  },
}

let agent: MediaBuyAgent

beforeAll(async () => {
  const products = [productDocument('news'), productDocument('home', { delivery_type: 'guaranteed' }, { daily_capacity: 1000 })]
  agent = await startMediaBuyAgent(products, { adServer: recording })
})
afterAll(() => agent.stop())
beforeEach(() => {
  calls.length = 0
  down = false
})

const named = () => calls.map(({ call }) => call)

describe('the ad server', () => {
  test('books once under one anchor, whatever is retried', async () => {
    const args = { idempotency_key: 'retry-retry-retry-retry' }
    await Promise.all([agent.create(args), agent.create(args), agent.create(args)])
    expect(named()).toEqual(['book'])
  })

  test('gets no order for a request that is refused', async () => {
    await agent.create({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 0 }] })
    expect(calls).toEqual([])
  })

  test('has its order taken back when the sale fails after the booking', async () => {
    const { data } = await agent.create({ packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 101 }] })
    expect(data.adcp_error.code).toBe('PRODUCT_UNAVAILABLE')
    expect(named()).toEqual(['book', 'cancel'])
    expect(calls[1]).toMatchObject({ anchor: calls[0]?.anchor, orderId: calls[0]?.orderId })
    expect(await agent.server.store.read.selectFrom('inventory_periods').selectAll().execute()).toEqual([])
  })

  test('being down is passed on, and the same key works once it is back', async () => {
    const args = { idempotency_key: 'down-down-down-down-down' }
    down = true
    expect((await agent.create(args)).data.adcp_error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      recovery: 'transient',
      retry_after: 5,
    })
    down = false
    expect((await agent.create(args)).data.media_buy_id).toBeDefined()
  })

  test('follows changes, and is put back when a change loses', async () => {
    const { data } = await agent.create()
    const update = (change: object) => agent.run('update_media_buy', { media_buy_id: data.media_buy_id, ...change })
    await update({ paused: true })
    await update({ paused: true })
    expect(named()).toEqual(['book', 'change'])
    const racing = await Promise.all([update({ paused: false }), update({ end_time: '2026-03-13T00:00:00Z' })])
    expect(racing.filter((reply) => reply.data.adcp_error?.code === 'CONFLICT')).toHaveLength(1)
    expect(named()).toEqual(['book', 'change', 'change', 'change', 'change'])
    await update({ canceled: true })
    expect(named().at(-1)).toBe('cancel')
  })
})
