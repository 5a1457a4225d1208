import { randomUUID } from 'node:crypto'
import { AgentClient } from '@adcp/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_ACCOUNT, startAgent, type TestAgent } from '../support/start-agent.ts'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, sandbox: true })
})
afterAll(() => agent.stop())

test.each(['mcp', 'a2a'] as const)('the official client 6.11.0 goes through a whole buy over %s', async (protocol) => {
  const client = new AgentClient(
    {
      id: 'seller',
      name: 'Seller',
      agent_uri: protocol === 'mcp' ? agent.url : new URL(agent.url).origin,
      protocol,
      auth_token: agent.key,
    },
    { validation: { requests: 'strict', responses: 'strict' } },
  )
  const account = DEMO_ACCOUNT
  const succeeded = async <T>(
    call: Promise<{ success: boolean; status: string; data?: T | undefined; error?: string | undefined }>,
  ): Promise<T> => {
    const { success, error, status, data } = await call
    expect({ success, error, status }).toEqual({ success: true, error: undefined, status: 'completed' })
    if (data === undefined) throw new Error('the client gave no data')
    return data
  }

  const capabilities = await succeeded(client.getAdcpCapabilities({}))
  expect(capabilities.supported_protocols).toContain('media_buy')
  const found = await succeeded(client.getProducts({ buying_mode: 'brief', brief: 'banners across all sites', account }))
  expect(found.products?.map(({ product_id }) => product_id)).toContain('ros_display')
  const bought = await succeeded(
    client.executeTask<{ media_buy_id: string; packages: { package_id: string }[] }>('create_media_buy', {
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: inDays(1),
      end_time: inDays(8),
      packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
    }),
  )
  const packageId = bought.packages[0]?.package_id ?? ''
  const format = { agent_url: agent.url, id: 'display_300x250' }
  const synced = await succeeded(
    client.executeTask<{ creatives: { creative_id: string; action: string; assigned_to?: string[] }[] }>('sync_creatives', {
      idempotency_key: randomUUID(),
      account,
      creatives: [
        {
          creative_id: `banner-${protocol}`,
          name: 'Banner',
          format_id: format,
          assets: {
            image: { asset_type: 'image', url: 'https://cdn.acme.example/banner.png', width: 300, height: 250 },
            click_url: { asset_type: 'url', url_type: 'clickthrough', url: 'https://acme.example/' },
          },
        },
      ],
      assignments: [{ creative_id: `banner-${protocol}`, package_id: packageId }],
    }),
  )
  expect(synced.creatives).toMatchObject([{ creative_id: `banner-${protocol}`, action: 'created', assigned_to: [packageId] }])
  const listed = await succeeded(client.listCreatives({ account, filters: { creative_ids: [`banner-${protocol}`] } }))
  expect(listed.creatives).toHaveLength(1)
  const ids = { account, media_buy_ids: [bought.media_buy_id] }
  const delivery = await succeeded(client.getMediaBuyDelivery(ids))
  expect(delivery.media_buy_deliveries.map(({ media_buy_id }) => media_buy_id)).toEqual([bought.media_buy_id])
  await succeeded(
    client.executeTask('update_media_buy', {
      idempotency_key: randomUUID(),
      account,
      media_buy_id: bought.media_buy_id,
      canceled: true,
      cancellation_reason: 'end of the test',
    }),
  )
  const { media_buys } = await succeeded(client.getMediaBuys(ids))
  expect(media_buys).toMatchObject([{ media_buy_id: bought.media_buy_id, status: 'canceled' }])
})
