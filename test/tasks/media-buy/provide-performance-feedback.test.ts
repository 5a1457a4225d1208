import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPerformanceFeedback } from '../../../src/store/performance-feedback.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
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
