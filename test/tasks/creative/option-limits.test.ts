import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
const LIMITS = { title_max_chars: 20, cta_values: ['Buy', 'Learn more'], main_image_sizes: [{ width: 1200, height: 627 }] }
beforeAll(async () => {
  agent = await startReleaseAgent()
  const option = (format_option_id: string, params: object) => ({ format_kind: 'native_in_feed', format_option_id, params })
  const seed = (product_id: string, ...format_options: object[]) =>
    agent.control('seed_product', { product_id, fixture: { name: product_id, channels: ['social'], format_options } })
  await seed('feed', option('feed_card', LIMITS))
  await seed('open_feed', option('open_card', {}))
}, 120_000)
afterAll(() => agent?.stop())

const text = (content: string) => ({ asset_type: 'text', content })
const card = (creative_id: string, format_option_id: string, assets: object = {}) => ({
  ...{ creative_id, name: creative_id, format_kind: 'native_in_feed' },
  format_option_ref: { scope: 'product', format_option_id },
  assets: {
    title: text('Warm boots'),
    body_text: text('For cold days.'),
    cta: text('Buy'),
    advertiser_name: text('Acme'),
    main_image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 1200, height: 627, format: 'png' },
    landing_page_url: { asset_type: 'url', url: 'https://shop.example/' },
    ...assets,
  },
})

describe.each(LINES.filter((line) => line !== '3.0'))('ads in a feed under AdCP %s', (line) => {
  const sync = async (...creatives: object[]) => {
    const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, validation_mode: 'lenient', creatives })
    expect(data.creatives, JSON.stringify(data)).toBeDefined()
    return data.creatives
  }

  test('are held to the limits of the option that they name', async () => {
    const id = (name: string) => `${name}-${line}`
    const rows = await sync(
      card(id('fine'), 'feed_card'),
      card(id('cta'), 'feed_card', { cta: text('Order now') }),
      card(id('title'), 'feed_card', { title: text('A title of far too many characters') }),
      card(id('open'), 'open_card', { cta: text('Order now') }),
    )
    expect(rows).toMatchObject([
      { action: 'created' },
      {
        action: 'failed',
        errors: [
          {
            code: 'CREATIVE_VALUE_NOT_ALLOWED',
            field: 'creatives[1].assets.cta.content',
            details: { allowed_values: ['Buy', 'Learn more'] },
            recovery: 'correctable',
          },
        ],
      },
      { action: 'failed', errors: [{ code: 'VALIDATION_ERROR', field: 'creatives[2].assets.title.content' }] },
      { action: 'created' },
    ])
  })

  test('refuse a strict call as a whole, with each fault', async () => {
    const creatives = [
      card(`strict-fine-${line}`, 'feed_card'),
      card(`strict-${line}`, 'feed_card', { cta: text('Order now'), title: text('A title of far too many characters') }),
    ]
    const { data, isError } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives })
    expect(isError).toBe(true)
    expect(data.errors.map(({ code, field }: { code: string; field: string }) => [code, field]).sort()).toEqual([
      ['CREATIVE_VALUE_NOT_ALLOWED', 'creatives[1].assets.cta.content'],
      ['VALIDATION_ERROR', 'creatives[1].assets.title.content'],
    ])
    const filters = { creative_ids: [`strict-fine-${line}`] }
    const listed = await agent.ask(line, 'list_creatives', { account: SUITE_ACCOUNT, filters })
    expect(listed.data.creatives).toEqual([])
  })

  test('come with a package of the product under its limits', async () => {
    const order = (creative: object) =>
      agent.ask(line, 'create_media_buy', {
        account: SUITE_ACCOUNT,
        brand: SUITE_ACCOUNT.brand,
        start_time: 'asap',
        end_time: '2026-06-30T00:00:00Z',
        packages: [{ product_id: 'feed', pricing_option_id: 'default', budget: 5000, creatives: [creative] }],
      })
    const { data } = await order(card(`inline-${line}`, 'feed_card', { cta: text('Order now') }))
    expect(data.adcp_error).toMatchObject({
      code: 'CREATIVE_VALUE_NOT_ALLOWED',
      field: 'packages[0].creatives[0].assets.cta.content',
    })
  })
})

test.skipIf(LINES.length < 2)(
  'ads of a suite that name nothing fit what it seeded, or the option of the story of their kind',
  async () => {
    const suite = agent.client(await agent.addBuyer({ principal: 'another suite', sandbox: true }))
    const format_options = [{ format_kind: 'native_in_feed', format_option_id: 'small_card', params: LIMITS }]
    const fixture = { name: 'small', channels: ['social'], format_options }
    await suite.call('comply_test_controller', { scenario: 'seed_product', params: { product_id: 'small', fixture } })
    const bare = (width: number, height: number) => {
      const { format_option_ref: _, ...creative } = card(`bare-${height}`, '')
      const main_image = { ...creative.assets.main_image, width, height }
      return { ...creative, assets: { ...creative.assets, cta: text('SHOP_NOW'), main_image } }
    }
    const creatives = [bare(1200, 628), bare(1146, 600)]
    const { data } = await suite.call('sync_creatives', {
      ...{
        adcp_version: LINES[1],
        idempotency_key: 'ads-that-name-nothing',
        account: SUITE_ACCOUNT,
        validation_mode: 'lenient',
        creatives,
      },
    })
    expect(data.creatives, JSON.stringify(data)).toMatchObject([{ action: 'created' }, { action: 'failed' }])
    expect(data.creatives[1].errors).toMatchObject([{ message: expect.stringContaining('main_image_sizes') }])
  },
)
