import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPerformanceFeedback } from '../../../src/store/media-buy/performance-feedback.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('pace', { format_ids: [] })])
  id = (await agent.create()).data.media_buy_id
})
afterAll(() => agent.stop())

const period = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z' }
const give = (args: object) =>
  agent.run('provide_performance_feedback', { media_buy_id: id, measurement_period: period, performance_index: 1.4, ...args })

test('feedback is kept, once', async () => {
  const key = { idempotency_key: '11111111-1111-4111-8111-111111111111' }
  expect((await give(key)).data).toMatchObject({ success: true })
  expect((await give(key)).data).toMatchObject({ success: true, replayed: true })
  expect(await listPerformanceFeedback(agent.server.store.read, agent.tenant, id)).toMatchObject([
    { performanceIndex: 1.4, periodStart: '2026-03-02T00:00:00.000Z' },
  ])
})

test.each([
  [{ media_buy_id: 'mb_none' }, 'MEDIA_BUY_NOT_FOUND', 'media_buy_id'],
  [{ package_id: 'nope' }, 'PACKAGE_NOT_FOUND', 'package_id'],
  [{ creative_id: 'nope' }, 'CREATIVE_NOT_FOUND', 'creative_id'],
  [{ measurement_period: { start: period.end, end: period.start } }, 'INVALID_REQUEST', 'measurement_period.end'],
])('%j is refused', async (args, code, field) => {
  expect((await give(args)).data.adcp_error).toMatchObject({ code, field })
})

test('an index above 1 speeds delivery up, one below holds it back, and the budget is spent by the end', async () => {
  agent.setClock('2026-03-01T12:00:00Z')
  const ids = await Promise.all(
    [1.5, 1, 0.5].map(async (index) => {
      const buy = (await agent.create({ packages: [{ product_id: 'pace', pricing_option_id: 'cpm', budget: 1000 }] })).data
        .media_buy_id
      await give({ media_buy_id: buy, performance_index: index })
      return buy
    }),
  )
  const spent = async (now: string) => {
    agent.setClock(now)
    const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: ids })
    const rows: { media_buy_id: string; totals: { spend: number } }[] = data.media_buy_deliveries
    return ids.map((buy) => rows.find((row) => row.media_buy_id === buy)?.totals.spend)
  }
  expect(await spent('2026-03-07T00:00:00Z')).toEqual([750, 500, 250])
  expect(await spent('2026-03-12T00:00:00Z')).toEqual([1000, 1000, 1000])
})

test('what was delivered before a judgement stays, and the latest one counts', async () => {
  agent.setClock('2026-03-01T12:00:00Z')
  const buy = (await agent.create({ packages: [{ product_id: 'pace', pricing_option_id: 'cpm', budget: 1000 }] })).data
  const [{ package_id }] = buy.packages
  const days = async () => {
    const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] })
    return data.media_buy_deliveries[0].daily_breakdown.map((day: { spend: number }) => day.spend)
  }
  agent.setClock('2026-03-04T00:00:00Z')
  const before = await days()
  await give({ media_buy_id: buy.media_buy_id, package_id, performance_index: 0.2 })
  await give({ media_buy_id: buy.media_buy_id, package_id, performance_index: 2 })
  agent.setClock('2026-03-06T00:00:00Z')
  expect(await days()).toEqual([...before, 200, 200])
})

test('the answer says what becomes of it, and what an index of a hundred means', async () => {
  agent.setClock('2026-03-01T12:00:00Z')
  const buy = (await agent.create()).data
  const said = async (args: object) => (await give({ media_buy_id: buy.media_buy_id, ...args })).data.ext.notes.join(' ')
  expect(await said({ performance_index: 1.2 })).toBe(
    'performance_index 1.2 (1 is as expected, 1.2 is 20 % better): from now on this simulated order delivers 1.2 times as fast as planned, within its budget.',
  )
  expect(await said({ performance_index: 85 })).toContain('Send 0.85 where 85 of 100 was meant')
  await agent.run('update_media_buy', { media_buy_id: buy.media_buy_id, canceled: true })
  expect(await said({ performance_index: 0.5 })).toContain('is kept with the order: no ad server here changes delivery by it.')
})
