import { afterAll, beforeAll, expect, it } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let mediaBuyId: string
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  mediaBuyId = (await agent.create()).data.media_buy_id
})
afterAll(() => agent.stop())

const [MARCH, APRIL] = ['2026-03-01', '2026-04-01']
const [EARLY, LATE] = [`${MARCH}T00:00:00Z`, `${APRIL}T00:00:00Z`]

/** Arguments with a range from `first` to `last`, by task, and the name of its end. */
const RANGES: readonly [string, string, (first: string, last: string) => object][] = [
  [
    'get_products',
    'filters.end_date',
    (first, last) => ({ buying_mode: 'wholesale', filters: { start_date: first.slice(0, 10), end_date: last.slice(0, 10) } }),
  ],
  [
    'get_products',
    'filters.budget_range.max',
    (first, last) => ({
      buying_mode: 'wholesale',
      filters: { budget_range: { min: Date.parse(first), max: Date.parse(last), currency: 'USD' } },
    }),
  ],
  [
    'get_media_buy_delivery',
    'end_date',
    (first, last) => ({ media_buy_ids: [mediaBuyId], start_date: first.slice(0, 10), end_date: last.slice(0, 10) }),
  ],
  [
    'get_account_financials',
    'period.end',
    (first, last) => ({ account: ACCOUNT, period: { start: first.slice(0, 10), end: last.slice(0, 10) } }),
  ],
  ['list_creatives', 'filters.created_before', (first, last) => ({ filters: { created_after: first, created_before: last } })],
  ['list_creatives', 'filters.updated_before', (first, last) => ({ filters: { updated_after: first, updated_before: last } })],
  ['tasks_list', 'filters.created_before', (first, last) => ({ filters: { created_after: first, created_before: last } })],
  [
    'list_creative_formats',
    'max_width',
    (first, last) => ({ min_width: Number(first.slice(5, 7)), max_width: Number(last.slice(5, 7)) }),
  ],
  [
    'get_media_buy_artifacts',
    'time_range.end',
    (first, last) => ({ media_buy_id: mediaBuyId, account: ACCOUNT, time_range: { start: first, end: last } }),
  ],
]

it.each(RANGES)('%s refuses a range that ends before it starts, naming %s', async (task, field, args) => {
  const { isError, data } = await agent.buyer.call(task, args(LATE, EARLY))
  expect(isError, JSON.stringify(data)).toBe(true)
  expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field })
})

it.each(RANGES)('%s takes the same range the right way round, and one of a single day (%s)', async (task, field, args) => {
  for (const first of [EARLY, LATE]) {
    const { data } = await agent.buyer.call(task, args(first, LATE))
    expect(data.adcp_error?.field).not.toBe(field)
  }
})

it('a range may lack either end', async () => {
  for (const filters of [{ start_date: MARCH }, { end_date: APRIL }]) {
    expect((await agent.buyer.call('get_products', { buying_mode: 'wholesale', filters })).isError).toBe(false)
  }
})

it('times count as instants, not as text: an offset may make the later one look earlier', async () => {
  const filters = { created_after: '2026-03-01T12:00:00+12:00', created_before: '2026-03-01T01:00:00Z' }
  expect((await agent.buyer.call('list_creatives', { filters })).isError).toBe(false)
})

it('a daypart that ends before it starts buys nothing', async () => {
  const daypart_targets = [{ days: ['monday'], start_hour: 18, end_hour: 18 }]
  const { data } = await agent.create({
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, targeting_overlay: { daypart_targets } }],
  })
  expect(data.adcp_error).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'packages[0].targeting_overlay.daypart_targets[0].end_hour',
  })
})
