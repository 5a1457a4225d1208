import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const OTHER = { brand: { domain: 'other-brand.example' }, operator: 'agency.example' }
const auction = (id: string) =>
  productDocument(id, {
    pricing_options: [
      { pricing_option_id: 'bids', pricing_model: 'cpm', currency: 'USD', floor_price: 1, price_guidance: { p50: 2.8 } },
    ],
  })

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('takeover', {}, { approval: 'manual' }), auction('open')])
  await agent.run('sync_accounts', { account: undefined, accounts: [{ ...OTHER, billing: 'operator' }] })
}, 120_000)
afterAll(() => agent?.stop())

const buy = (product_id: string, pricing_option_id: string, more: object = {}) =>
  agent.create({ packages: [{ product_id, pricing_option_id, budget: 1000, ...more }] })

test('a bid that the seller chose is in the answers', async () => {
  const { data } = await buy('open', 'bids')
  expect(data.packages[0]).toMatchObject({ bid_price: 2.8 })
  const { data: read } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  expect(read.media_buys[0].packages[0]).toMatchObject({ bid_price: 2.8 })
  const { data: own } = await buy('open', 'bids', { bid_price: 1.5 })
  expect(own.packages[0]).toMatchObject({ bid_price: 1.5 })
})

test('delivery of nothing that is yours is refused; beside one of yours it is an error of the answer', async () => {
  const { data: order } = await buy('open', 'bids')
  const none = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: ['mb_nope'] })
  expect(none.isError).toBe(true)
  expect(none.data.adcp_error).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[0]' })
  const some = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [order.media_buy_id, 'mb_nope'] })
  expect(some.data.media_buy_deliveries).toHaveLength(1)
  expect(some.data.errors).toMatchObject([{ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[1]' }])
})

test('an account narrows accounts and tasks to its own, and one that is not yours is refused', async () => {
  const { data: held } = await buy('takeover', 'cpm')
  expect(held.status).toBe('submitted')
  const tasksOf = async (account: object | undefined) => (await agent.buyer.call('list_tasks', { account })).data
  const ids = ({ tasks }: { tasks: { task_id: string }[] }) => tasks.map(({ task_id }) => task_id)
  expect(ids(await tasksOf(ACCOUNT))).toEqual([held.task_id])
  expect(await tasksOf(OTHER)).toMatchObject({ tasks: [], query_summary: { total_matching: 0 } })
  expect(ids(await tasksOf(undefined))).toEqual([held.task_id])
  const accountsOf = async (account: object | undefined) => (await agent.buyer.call('list_accounts', { account })).data
  expect((await accountsOf(OTHER)).accounts).toMatchObject([{ brand: OTHER.brand }])
  expect((await accountsOf(undefined)).accounts).toHaveLength(2)
  const nobodys = { brand: { domain: 'other-brnd.example' }, operator: 'agency.example' }
  for (const answer of [await tasksOf(nobodys), await accountsOf(nobodys)])
    expect(answer.adcp_error).toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
      field: 'account',
      message: expect.stringContaining('other-brand'),
    })
})
