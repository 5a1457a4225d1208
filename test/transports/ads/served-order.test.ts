import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROME } from '../../support/ad-publisher.ts'
import type { AgentClient } from '../../support/client.ts'
import { type AtAddress, fetchFrom, pngOf } from '../../support/creative-files.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const [START, END] = ['2026-03-02T00:00:00Z', '2026-03-12T00:00:00Z']

const GOOD = pngOf(970, 250, 10)
const files = new Map<string, AtAddress>([
  ['https://cdn.example/a.png', pngOf(970, 250)],
  ['https://cdn.example/good.png', GOOD],
  ['https://cdn.example/bad.png', 404],
])
let agent: TestAgent
let buyer: AgentClient
let now = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  agent = await startAgent({
    demo: true,
    clock: () => now,
    safeFetch: fetchFrom(files),
    flags: { 'adServer.type': 'embedded', 'ads.creativeFiles': 'hosted' },
  })
  buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
})
afterAll(() => agent.stop())

const run = async (task: string, args: object) => {
  const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
  if (isError) throw new Error(JSON.stringify(data))
  return data
}

async function ask(place: string) {
  const answer = await fetch(`${new URL(agent.url).origin}/ads/demo/decide?place=${place}&sizes=970x250`, {
    headers: { 'User-Agent': CHROME },
  })
  const body: unknown = await answer.json()
  return JSON.stringify(body)
}

describe('an order of a production buyer', () => {
  it('is served by the embedded ad server, and its delivery is what was counted', async () => {
    const agentUrl = agent.server.services.wiring.agentUrl
    const created = await run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: START,
      end_time: END,
      packages: [{ product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 5000 }],
    })
    const packageId: string = created.packages[0].package_id
    const synced = await run('sync_creatives', {
      creatives: [
        {
          creative_id: 'boots',
          name: 'Boots',
          format_id: { agent_url: agentUrl, id: 'display_970x250' },
          assets: {
            image: { asset_type: 'image', url: 'https://cdn.example/a.png', width: 970, height: 250, format: 'png' },
            click_url: { asset_type: 'url', url: 'https://shop.example/boots' },
          },
        },
      ],
      assignments: [{ creative_id: 'boots', package_id: packageId }],
    })
    expect(synced.creatives[0].action).toBe('created')
    now = new Date('2026-03-02T12:00:00Z')
    await expect.poll(() => ask('news_home_billboard'), { timeout: 60_000, interval: 200 }).toContain('/ads/files/demo/')
    const shown = await ask('news_home_billboard')
    const url = /"impression":"([^"]+)"/.exec(shown)?.[1] ?? ''
    const click = /"click_url":"([^"]+)"/.exec(shown)?.[1] ?? ''
    for (let times = 0; times < 3; times += 1) await fetch(url, { headers: { 'User-Agent': CHROME } })
    await fetch(click, { headers: { 'User-Agent': CHROME }, redirect: 'manual' })
    const report = await run('get_media_buy_delivery', { media_buy_ids: [created.media_buy_id] })
    expect(report.media_buy_deliveries[0].by_package[0]).toMatchObject({ impressions: 1, clicks: 1 })
    expect(report.ext?.simulated).toBeUndefined()
    expect(report.sandbox).toBeUndefined()
  })

  it('goes on without a creative that the ad server does not take, and its buyer reads why', async () => {
    const agent_url = agent.server.services.wiring.agentUrl
    const created = await run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: '2026-03-03T00:00:00Z',
      end_time: END,
      packages: [{ product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 5000 }],
    })
    const package_id: string = created.packages[0].package_id
    const image = (url: string) => ({
      image: { asset_type: 'image', url, width: 970, height: 250, format: 'png' },
      click_url: { asset_type: 'url', url: 'https://shop.example/boots' },
    })
    const creative = (creative_id: string, url: string) => ({
      creative_id,
      name: creative_id,
      format_id: { agent_url, id: 'display_970x250' },
      assets: image(url),
    })
    await run('sync_creatives', {
      creatives: [creative('good', 'https://cdn.example/good.png'), creative('bad', 'https://cdn.example/bad.png')],
      assignments: ['good', 'bad'].map((creative_id) => ({ creative_id, package_id })),
    })
    const bad = async () => {
      const { creatives } = await run('list_creatives', { filters: { creative_ids: ['bad'] } })
      return creatives[0].status
    }
    await expect.poll(bad, { timeout: 60_000 }).toBe('rejected')
    now = new Date('2026-03-03T12:00:00Z')
    const served = async () => {
      const url = /"url":"([^"]+)"/.exec(await ask('news_home_billboard'))?.[1]
      return url === undefined ? undefined : Buffer.from(await (await fetch(url)).arrayBuffer())
    }
    await expect.poll(served, { timeout: 60_000, interval: 200 }).toEqual(GOOD)
    const { media_buys } = await run('get_media_buys', { media_buy_ids: [created.media_buy_id] })
    const approvals: readonly object[] = media_buys[0].packages[0].creative_approvals
    expect(approvals).toContainEqual(
      expect.objectContaining({
        creative_id: 'bad',
        approval_status: 'rejected',
        rejection_reason: expect.stringContaining(
          'rejected by the ad server of the publisher: the file https://cdn.example/bad.png cannot be hosted',
        ),
      }),
    )
  })

  it('is not what it cannot keep: the field is named', async () => {
    const { data, isError } = await buyer.call('create_media_buy', {
      idempotency_key: randomUUID(),
      account: ACCOUNT,
      brand: ACCOUNT.brand,
      start_time: '2026-03-05T00:00:00Z',
      end_time: END,
      packages: [
        {
          product_id: 'ros_display',
          pricing_option_id: 'cpm_usd_auction',
          bid_price: 3,
          budget: 5000,
          targeting_overlay: { geo_metros: [{ system: 'nielsen_dma', values: ['501'] }] },
        },
      ],
    })
    expect(isError).toBe(true)
    expect(data.adcp_error ?? data.errors?.[0]).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].targeting_overlay.geo_metros',
    })
  })
})
