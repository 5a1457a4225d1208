import { bootMockServer } from '@adcp/sdk/mock-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import { operatorIn } from '../../src/compose/operator.ts'
import { readCredentials, setCredentials } from '../../src/operator/ad-servers/ad-server-credentials.ts'
import { addAdServer, removeAdServer, setAdServer } from '../../src/operator/ad-servers/manage-ad-servers.ts'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { settleReviews } from '../../src/tasks/media-buy/settle-review.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting } from '../support/operator.ts'

/** Whole buys through ad servers that nobody here wrote: order, approval, creatives, delivery, with the calls that reached them. */
type Seller = Awaited<ReturnType<typeof bootMockServer>>
let agent: MediaBuyAgent
let sellers: Record<'guaranteed' | 'nonGuaranteed' | 'creatives', Seller>
let now = Date.parse('2026-03-01T12:00:00Z')

beforeAll(async () => {
  const boot = (specialism: string) => bootMockServer({ specialism, port: 0, apiKey: `key of ${specialism}` })
  sellers = {
    guaranteed: await boot('sales-guaranteed'),
    nonGuaranteed: await boot('sales-non-guaranteed'),
    creatives: await boot('creative-ad-server'),
  }
  // The background job never runs by itself: the test does it.
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('home')], {
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
}, 120_000)
afterAll(async () => {
  await agent?.stop()
  await Promise.all(Object.values(sellers ?? {}).map((seller) => seller.close()))
})

const contracts = loadContracts([BASE_SOURCE])
const operator = () => {
  const { store, services, clock } = agent.server
  return operatorIn({ store, config: agent.config, contracts, clock, services })
}

async function later(minutes: number) {
  now += minutes * 60_000
  agent.setClock(new Date(now).toISOString())
  const { store, services, clock, log } = agent.server
  const settleReview = settleReviews({ ...services, store }, clock, services.webhooks.wake)
  await reconcileDue({ store, clock, log, backends: services.adServers.backends, settleReview })
}

async function trafficOf({ url }: Seller): Promise<Record<string, number>> {
  const answer: unknown = await (await fetch(`${url}/_debug/traffic`)).json()
  return Object.fromEntries(Object.entries(Object(Object(answer).traffic)).map(([route, calls]) => [route, Number(calls)]))
}

/** Sets an ad server up as the publisher's people do, wrong credentials first. */
async function setUp(name: string, options: Readonly<Record<string, unknown>>, keys: Record<string, string>, productId: string) {
  await addAdServer(acting(operator(), agent.tenant), agent.tenant, { name, type: 'upstream', options, products: [productId] })
  const store = (credentials: object) =>
    setCredentials(acting(operator(), agent.tenant), agent.tenant, {
      name,
      credentials: readCredentials(JSON.stringify(credentials)),
    })
  const wrong = Object.fromEntries(Object.keys(keys).map((key) => [key, 'wrong']))
  await expect(store(wrong)).rejects.toThrow(/does not take these credentials.*401/)
  expect(await store(keys)).toEqual({ name, checked: true })
}

const orderOf = (mediaBuyId: string) =>
  agent.server.store.read
    .selectFrom('ad_server_orders')
    .select(['ad_server', 'reason', 'requested', 'applied'])
    .where('media_buy_id', '=', mediaBuyId)
    .executeTakeFirstOrThrow()

async function deliveryOf(mediaBuyId: string) {
  const { data } = await agent.buyer.call('get_media_buy_delivery', {
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    media_buy_ids: [mediaBuyId],
  })
  const { impressions, spend } = data.media_buy_deliveries[0].totals
  return { impressions, spend }
}

test('a guaranteed seller with a creative ad server: order, approval, creative, delivery', async () => {
  await setUp(
    'premium',
    {
      url: sellers.guaranteed.url,
      network: 'net_premium_us',
      products: { news: 'sports_preroll_q2_guaranteed' },
      creatives: { url: sellers.creatives.url, network: 'net_creative_us' },
    },
    { apiKey: 'key of sales-guaranteed', creativesApiKey: 'key of creative-ad-server' },
    'news',
  )
  // What the seller cannot keep is refused before anything reaches it.
  const targeted = await agent.create({
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, targeting_overlay: { geo_countries: ['DE'] } }],
  })
  expect(targeted.data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: expect.stringContaining('geo_countries') })
  const { data, isError } = await agent.create()
  expect(isError, JSON.stringify(data)).toBeFalsy()
  expect(data).toMatchObject({ status: 'submitted' })
  const taskOf = async () => (await agent.buyer.call('get_task_status', { task_id: data.task_id })).data
  // The order is provisional until the seller approves it.
  const [provisional] = (await agent.buyer.call('get_media_buys', { status_filter: ['pending_creatives'] })).data.media_buys
  const mediaBuyId = String(provisional.media_buy_id)
  await later(0)
  expect(await taskOf()).toMatchObject({ status: 'submitted' })
  expect(await orderOf(mediaBuyId)).toMatchObject({ ad_server: 'premium', reason: 'waits for approval at the ad server' })
  const synced = await agent.run('sync_creatives', {
    creatives: [
      {
        creative_id: 'banner',
        name: 'Banner',
        format_id: { agent_url: agent.url, id: 'display_300x250' },
        assets: {
          banner_image: { asset_type: 'image', url: 'https://cdn.example.com/a.png', width: 300, height: 250 },
          click_url: { asset_type: 'url', url: 'https://shop.example.com' },
        },
      },
    ],
    assignments: [{ creative_id: 'banner', package_id: provisional.packages[0].package_id }],
  })
  expect(synced.isError, JSON.stringify(synced.data)).toBeFalsy()
  for (let look = 0; look < 5 && (await orderOf(mediaBuyId)).reason !== null; look++) await later(2)
  expect(await orderOf(mediaBuyId)).toMatchObject({ reason: null })
  expect(await taskOf()).toMatchObject({ status: 'completed', result: { media_buy_id: mediaBuyId } })
  await later(60 * 24 * 2)
  await importReports(acting(operator(), agent.tenant), { tenantId: agent.tenant, mediaBuyId, since: '2026-03-01' })
  const first = await deliveryOf(mediaBuyId)
  // The seller reports 40 % of the budget as soon as an order delivers, at 35 a thousand, and the same from then on.
  expect(first).toEqual({ impressions: Math.floor((400 / 35) * 1000), spend: 400 })
  await later(60 * 24)
  await importReports(acting(operator(), agent.tenant), { tenantId: agent.tenant, mediaBuyId, since: '2026-03-01' })
  expect(await deliveryOf(mediaBuyId)).toEqual(first)
  const traffic = await trafficOf(sellers.guaranteed)
  expect(traffic).toMatchObject({
    'POST /v1/orders': 1,
    'POST /v1/orders/{id}/lineitems': 1,
    'POST /v1/creatives': 1,
    'POST /v1/orders/{id}/lineitems/{li}/creative-attach': 1,
    'GET /v1/orders/{id}/delivery': 2,
  })
  expect(traffic['GET /v1/tasks/{id}']).toBeGreaterThanOrEqual(2)
  expect(await trafficOf(sellers.creatives)).toMatchObject({ 'POST /v1/creatives': 1, 'POST /v1/creatives/{id}/render': 1 })
  await expect(removeAdServer(acting(operator(), agent.tenant), agent.tenant, 'premium')).rejects.toThrow(
    `orders lie at premium that are not over: ${mediaBuyId}`,
  )
}, 120_000)

test('a non-guaranteed seller: confirmed at once, an outage leaves the order waiting with its reason', async () => {
  const options = {
    url: sellers.nonGuaranteed.url,
    network: 'net_remnant_us',
    sells: 'non_guaranteed',
    products: { home: 'display_ros' },
  }
  await setUp('remnant', options, { apiKey: 'key of sales-non-guaranteed' }, 'home')
  await setAdServer(acting(operator(), agent.tenant), agent.tenant, {
    name: 'remnant',
    options: { ...options, url: 'http://127.0.0.1:1' },
  })
  const { data, isError } = await agent.create({
    start_time: '2026-03-06T00:00:00Z',
    packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 900 }],
  })
  expect(isError, JSON.stringify(data)).toBeFalsy()
  const mediaBuyId = String(data.media_buy_id)
  await later(0)
  expect((await orderOf(mediaBuyId)).reason).not.toBeNull()
  await setAdServer(acting(operator(), agent.tenant), agent.tenant, { name: 'remnant', options })
  await later(1)
  expect(await orderOf(mediaBuyId)).toMatchObject({ ad_server: 'remnant', reason: null })
  const pause = await agent.run('update_media_buy', { media_buy_id: mediaBuyId, paused: true })
  expect(pause.data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'paused' })
  expect(await trafficOf(sellers.nonGuaranteed)).toMatchObject({ 'POST /v1/orders': 1, 'POST /v1/orders/{id}/lineitems': 1 })
}, 120_000)
