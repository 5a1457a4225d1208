import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { summarizeCreated, summarizeUpdated } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const policy = (cancellation_fee: {
  type: 'percent_remaining' | 'full_commitment' | 'fixed_fee' | 'none'
  rate?: number
  amount?: number
}) => ({
  cancellation_policy: { notice_period: { interval: 7, unit: 'days' as const }, cancellation_fee },
})

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news'),
    productDocument('quarter', policy({ type: 'percent_remaining', rate: 0.25 })),
    productDocument('all', policy({ type: 'full_commitment' })),
    productDocument('host-read', { ...policy({ type: 'full_commitment' }), format_ids: [] }),
    productDocument('fixed', policy({ type: 'fixed_fee', amount: 150 })),
    productDocument('free', policy({ type: 'none' })),
    productDocument('takeover', {
      ...policy({ type: 'full_commitment' }),
      pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 420 }],
    }),
  ])
}, 120_000)
beforeEach(() => agent.setClock('2026-03-01T12:00:00Z'))
afterAll(() => agent?.stop())

const order = (ids: readonly string[], start_time: string) =>
  agent.create({
    start_time,
    end_time: '2026-04-12T00:00:00Z',
    packages: ids.map((product_id) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 })),
  })
/** Why a fee is owed although the dates of the order may be far off by now. */
const BEGUN = 'since the notice of 7 days had begun, which later dates do not undo'
const update = (media_buy_id: string, change: object) => agent.run('update_media_buy', { media_buy_id, ...change })
const termsOf = async (media_buy_id: string) =>
  (await agent.buyer.call('get_media_buys', { media_buy_ids: [media_buy_id] })).data.media_buys[0].ext.terms
const costs = ({ ext }: { ext: { terms: { cancellation_cost_at_most: number }[] } }) =>
  ext.terms.map(({ cancellation_cost_at_most }) => cancellation_cost_at_most)

test('an order says what cancelling it costs, before, in its changes and when it is done', async () => {
  const { data } = await order(['news', 'quarter', 'all', 'fixed', 'free'], '2026-03-02T00:00:00Z')
  expect(costs(data)).toEqual([250, 1000, 150, 0])
  expect(data.ext.terms[0]).toMatchObject({
    package_id: data.packages[1].package_id,
    cancellation_policy: { cancellation_fee: { rate: 0.25 } },
    currency: 'USD',
  })
  expect(summarizeCreated(data)).toContain(
    'Cancelling costs at most 1400 USD. The notice has begun; later dates or a smaller budget do not undo it. Terms: ext.terms.',
  )
  expect(costs({ ext: { terms: await termsOf(data.media_buy_id) } })).toEqual([250, 1000, 150, 0])
  const raise = { package_id: data.packages[1].package_id, budget: 2000 }
  const { data: changed } = await update(data.media_buy_id, { packages: [raise] })
  expect(costs(changed)).toEqual([500, 1000, 150, 0])
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(ended.ext.terms).toMatchObject([
    { cancellation_owed: 0, cancellation_rule: 'no cancellation terms: only what was delivered is owed', currency: 'USD' },
    {
      cancellation_owed: 500,
      cancellation_rule: `25 % of 2000 USD, the largest commitment since the notice began, less 0 USD spent; ${BEGUN}`,
      currency: 'USD',
    },
    { cancellation_owed: 1000 },
    { cancellation_owed: 150, cancellation_rule: `a fixed fee; ${BEGUN}` },
    { cancellation_owed: 0, cancellation_rule: 'the product asks for no fee' },
  ])
  expect(costs(ended)).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(summarizeUpdated(ended)).toContain('Owed for what is canceled: 1650 USD. Terms: ext.terms.')
  expect(await termsOf(data.media_buy_id)).toEqual(ended.ext.terms)
  const { data: listed } = await agent.buyer.call('get_media_buys', { status_filter: 'canceled' })
  const row = listed.media_buys.find((buy: { media_buy_id: string }) => buy.media_buy_id === data.media_buy_id)
  expect(row.ext.terms).toEqual(ended.ext.terms)
})

test('an order without terms says that cancelling is free, before and after, at every release', async () => {
  for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data } = await order(['news'], '2026-03-20T00:00:00Z')
    expect(data.ext?.terms).toBeUndefined()
    expect(summarizeCreated(data)).toContain('Cancelling costs nothing beyond what was delivered')
    const { data: ended } = await update(data.media_buy_id, { ...pinned, canceled: true })
    expect(ended.ext.terms).toMatchObject([{ cancellation_owed: 0, currency: 'USD' }])
    expect(summarizeUpdated(ended)).toContain('Owed for what is canceled: 0 USD.')
  }
})

test('notice that is kept costs nothing; the answer says until when, and what it costs after', async () => {
  const { data } = await order(['quarter'], '2026-03-20T00:00:00Z')
  expect(data.ext.terms).toMatchObject([
    { free_until: '2026-03-13T00:00:00.000Z', cancellation_cost_at_most: 0, cancellation_cost_at_most_later: 250 },
  ])
  expect(summarizeCreated(data)).toContain('costs at most 0 USD until 2026-03-13T00:00:00.000Z, then at most 250 USD.')
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(ended.ext.terms).toMatchObject([{ cancellation_owed: 0, cancellation_rule: 'canceled before the notice period began' }])
  const { data: plain } = await order(['news'], '2026-03-20T00:00:00Z')
  expect(plain.ext ?? {}).not.toHaveProperty('terms')
})

test('a notice that has begun is not undone by later dates or a smaller budget', async () => {
  const { data } = await order(['quarter'], '2026-03-06T00:00:00Z')
  const [{ package_id }] = data.packages
  const later = { start_time: '2026-05-06T00:00:00Z', end_time: '2026-06-06T00:00:00Z' }
  agent.setClock('2026-03-02T12:00:00Z')
  expect(costs((await update(data.media_buy_id, later)).data)).toEqual([250])
  agent.setClock('2026-03-03T12:00:00Z')
  expect(costs((await update(data.media_buy_id, { packages: [{ package_id, budget: 100 }] })).data)).toEqual([250])
  agent.setClock('2026-03-04T12:00:00Z')
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(ended.ext.terms).toMatchObject([{ cancellation_owed: 250 }])
})

test('new dates in the call that cancels a package, and dates moved in time', async () => {
  const { data } = await order(['quarter', 'news'], '2026-03-06T00:00:00Z')
  const [{ package_id }] = data.packages
  const later = { start_time: '2026-05-06T00:00:00Z', end_time: '2026-06-06T00:00:00Z' }
  const { data: ended } = await update(data.media_buy_id, { ...later, packages: [{ package_id, canceled: true }] })
  expect(ended.ext.terms).toMatchObject([{ package_id, cancellation_owed: 250 }])
  const { data: moved } = await order(['quarter'], '2026-03-20T00:00:00Z')
  agent.setClock('2026-03-02T12:00:00Z')
  expect((await update(moved.media_buy_id, later)).data.ext.terms).toMatchObject([{ cancellation_cost_at_most: 0 }])
})

test('a canceled package is no part of what cancelling the rest would cost', async () => {
  const { data } = await order(['quarter', 'all'], '2026-03-02T00:00:00Z')
  const gone = { package_id: data.packages[0].package_id, canceled: true }
  const { data: changed } = await update(data.media_buy_id, { packages: [gone] })
  expect(changed.ext.terms).toMatchObject([{ cancellation_owed: 250 }, { cancellation_cost_at_most: 1000 }])
  expect(summarizeUpdated(changed)).toContain(
    'Owed for what is canceled: 250 USD. Cancelling the rest costs at most 1000 USD. The notice has begun;',
  )
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(ended.ext.terms).toMatchObject([{ cancellation_owed: 250 }, { cancellation_owed: 1000 }])
})

test('what was spent is not charged again', async () => {
  const { data } = await order(['host-read'], '2026-03-02T00:00:00Z')
  agent.setClock('2026-03-22T12:00:00Z')
  const { data: delivery } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [data.media_buy_id] })
  const { spend } = delivery.media_buy_deliveries[0].totals
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(spend).toBeGreaterThan(0)
  expect(ended.ext.terms[0].cancellation_owed).toBeCloseTo(1000 - spend, 2)
})

test('a flat price is all that an order above it can cost, canceled or not, and the order says so', async () => {
  const { data } = await order(['takeover'], '2026-03-02T00:00:00Z')
  expect(data.ext.notes).toEqual([
    'packages[0].budget of 1000 USD is a limit: the price of the flight is 420 USD, and no more is charged.',
  ])
  expect(costs(data)).toEqual([420])
  const { data: ended } = await update(data.media_buy_id, { canceled: true })
  expect(ended.ext.terms).toMatchObject([
    {
      cancellation_owed: 420,
      cancellation_rule: `420 USD, the largest commitment since the notice began, less 0 USD spent; ${BEGUN}`,
    },
  ])
})
