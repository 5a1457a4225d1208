import { afterAll, beforeAll, expect, test } from 'vitest'
import { summarizeCreated } from '../../../src/tasks/media-buy/summaries.ts'
import { banner } from '../../support/creative-agent.ts'
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
  agent = await startMediaBuyAgent([
    productDocument('takeover', {}, { approval: 'manual' }),
    productDocument('fixed'),
    auction('open'),
  ])
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

test('a bid on a fixed price is refused below it, and named as unused above it', async () => {
  const { data: low } = await buy('takeover', 'cpm', { bid_price: 0.01 })
  expect(low.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'packages[0].bid_price' })
  const { data } = await buy('fixed', 'cpm', { bid_price: 500 })
  expect(data.ext).toMatchObject({ ignored_members: ['packages[0].bid_price'] })
  const told = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  expect(told.data.media_buys[0].packages[0]).toMatchObject({ pricing_option_id: 'cpm' })
  expect(data.packages[0]).not.toHaveProperty('bid_price')
  const change = (bid_price: number) =>
    agent.run('update_media_buy', {
      media_buy_id: data.media_buy_id,
      packages: [{ package_id: data.packages[0].package_id, bid_price }],
    })
  expect((await change(0.01)).data.adcp_error).toMatchObject({ field: 'packages[0].bid_price' })
  expect((await change(500)).data.ext).toMatchObject({ ignored_members: ['packages[0].bid_price'] })
})

test('creatives that are not in the library are named, as are packages that nothing serves for', async () => {
  const { data } = await buy('fixed', 'cpm', { creative_assignments: [{ creative_id: 'nowhere' }] })
  const { package_id } = data.packages[0]
  const message = '"nowhere" is not in your library: it serves once sync_creatives has sent it'
  expect(data.ext.missing_creatives).toEqual([{ package_id, creative_id: 'nowhere', message }])
  expect(summarizeCreated(data)).toContain(`Missing creatives: package ${package_id}: ${message} (ext.missing_creatives).`)
  const { data: bare } = await buy('fixed', 'cpm')
  expect(bare.ext ?? {}).not.toHaveProperty('missing_creatives')
  agent.setClock('2026-03-04T00:00:00Z')
  const read = async (id: string) => (await agent.buyer.call('get_media_buys', { media_buy_ids: [id] })).data.media_buys[0]
  expect((await read(data.media_buy_id)).ext.missing_creatives).toMatchObject([{ creative_id: 'nowhere' }])
  const [nothing] = (await read(bare.media_buy_id)).ext.missing_creatives
  expect(nothing).toEqual({
    package_id: bare.packages[0].package_id,
    message: 'no creative is assigned: nothing of it serves',
  })
  const creatives = [banner(agent.url, 'nowhere')]
  await agent.run('sync_creatives', { creatives, assignments: [{ creative_id: 'nowhere', package_id }] })
  expect((await read(data.media_buy_id)).ext ?? {}).not.toHaveProperty('missing_creatives')
  agent.setClock('2026-03-01T12:00:00Z')
})

test('a change that assigns a creative which is not there is told of those that are', async () => {
  const { data } = await buy('fixed', 'cpm')
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'winter_banner'), banner(agent.url, 'spring_square')] })
  const assign = async (creative_id: string) => {
    const packages = [{ package_id: data.packages[0].package_id, creative_assignments: [{ creative_id }] }]
    return (await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, packages })).data.adcp_error
  }
  expect(await assign('winter_baner')).toMatchObject({
    code: 'CREATIVE_NOT_FOUND',
    message: expect.stringMatching(/"winter_baner" is not in your library; did you mean "winter_banner"\?$/),
  })
  expect((await assign('autumn')).message).toMatch(
    /"autumn" is not in your library; the newest: (?=.*winter_banner)(?=.*spring_square).*; list_creatives lists it, sync_creatives adds to it$/,
  )
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
      suggestion: expect.stringMatching(
        /sync_accounts, or send one of yours: account_id "acc_[^"]+" \(brand [^,]+, operator [^)]+\); account_id /,
      ),
    })
})
