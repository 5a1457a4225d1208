import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent?.stop())

const order = (pkg: object, more: object = {}) => ({
  account: SUITE_ACCOUNT,
  brand: SUITE_ACCOUNT.brand,
  start_time: 'asap',
  end_time: '2026-06-30T00:00:00Z',
  packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 5000, bid_price: 3, ...pkg }],
  ...more,
})
const option = { scope: 'product', format_option_id: 'display_300x250' }
const size = { width: 300, height: 250 }

describe.each(LINES)('the formats of a package under AdCP %s', (line) => {
  test('named by the official id that the product itself has', async () => {
    const format_ids = [{ agent_url: 'https://creative.adcontextprotocol.org/', id: 'display_300x250_image' }]
    const fixture = { name: 'official', channels: ['display'], format_ids }
    await agent.control('seed_product', { product_id: 'official', fixture })
    const named = { product_id: 'official', pricing_option_id: 'default', format_ids }
    const { data } = await agent.ask(line, 'create_media_buy', order(named))
    expect(data.adcp_error).toBeUndefined()
    expect(data.packages[0]).toMatchObject({ format_ids })
  })

  test.each([
    ['an option', { format_option_refs: [option] }],
    ['a kind with its size', { format_kind: 'image', params: size }],
    [
      'a kind with its size beside an id',
      { format_kind: 'image', params: size, format_ids: [official('display_300x250_image')] },
    ],
    ['an option, whatever the ids are', { format_option_refs: [option], format_ids: [official('nothing')] }],
  ])('named by %s are taken and shown again', async (_case, selectors) => {
    const { data } = await agent.ask(line, 'create_media_buy', order(selectors))
    expect(data.adcp_error).toBeUndefined()
    expect(data.packages[0]).toMatchObject(selectors)
    expect(data.ext?.ignored_members).toBeUndefined()
    const listed = await agent.ask(line, 'get_media_buys', { account: SUITE_ACCOUNT, media_buy_ids: [data.media_buy_id] })
    expect(listed.data.media_buys[0].packages[0]).toMatchObject(selectors)
  })

  test.each([
    [
      'an unknown option',
      { format_option_refs: [option, { scope: 'product', format_option_id: 'none' }] },
      'format_option_refs[1]',
    ],
    [
      "a publisher's option",
      { format_option_refs: [{ ...option, scope: 'publisher', publisher_domain: 'a.example' }] },
      'format_option_refs[0]',
    ],
    ['an unknown id', { format_ids: [official('nothing')] }, 'format_ids[0]'],
    ['a kind that the product lacks', { format_kind: 'video_hosted' }, 'format_kind'],
    ['a kind without its size', { format_kind: 'image' }, 'format_kind'],
    ['a kind with another size', { format_kind: 'image', params: { width: 301, height: 250 } }, 'params'],
  ])('named by %s are refused with the entry', async (_case, selectors, member) => {
    const { data } = await agent.ask(line, 'create_media_buy', order(selectors))
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: `packages[0].${member}` })
  })

  test('of an added package are held to the same rules', async () => {
    const { data } = await agent.ask(line, 'create_media_buy', order({}))
    const new_packages = order({ format_kind: 'video_hosted' }).packages
    const changed = await agent.ask(line, 'update_media_buy', {
      account: SUITE_ACCOUNT,
      media_buy_id: data.media_buy_id,
      new_packages,
    })
    expect(changed.data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'new_packages[0].format_kind' })
  })

  test.each(['format_kind', 'format_ids', 'product_id'])('cannot change: %s', async (member) => {
    const { data } = await agent.ask(line, 'create_media_buy', order({}))
    const packages = [{ package_id: data.packages[0].package_id, budget: 6000, [member]: 'other' }]
    const changed = await agent.ask(line, 'update_media_buy', {
      account: SUITE_ACCOUNT,
      media_buy_id: data.media_buy_id,
      packages,
    })
    expect(changed.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: `packages[0].${member}` })
  })

  test('may be those that a product declares itself', async () => {
    const product_id = `declares-${line}`
    const format_options = [
      {
        format_option_id: 'takeover',
        publisher_domain: 'daily.example',
        format_kind: 'image',
        params: { width: 970, height: 250 },
      },
      { format_option_id: 'film', format_kind: 'video_hosted', params: { duration_ms_exact: 15000 } },
    ]
    await agent.control('seed_product', { product_id, fixture: { name: product_id, channels: ['display'], format_options } })
    const shown = await agent.ask(line, 'get_products', {
      ...{ account: SUITE_ACCOUNT, buying_mode: 'refine' },
      refine: [{ scope: 'product', product_id, action: 'include' }],
    })
    expect(shown.data.products[0].format_options).toEqual(format_options)
    const buy = async (selectors: object) => {
      const packages = [{ product_id, pricing_option_id: 'default', budget: 5000, ...selectors }]
      return (await agent.ask(line, 'create_media_buy', { ...order({}), packages })).data
    }
    const takeover = { scope: 'publisher', publisher_domain: 'daily.example', format_option_id: 'takeover' }
    expect((await buy({ format_option_refs: [takeover] })).packages).toMatchObject([{ format_option_refs: [takeover] }])
    const film = { format_kind: 'video_hosted', params: { duration_ms_exact: 15000 } }
    expect((await buy(film)).packages).toMatchObject([film])
    expect((await buy({ format_option_refs: [{ scope: 'product', format_option_id: 'takeover' }] })).adcp_error).toMatchObject({
      ...{ code: 'UNSUPPORTED_FEATURE', field: 'packages[0].format_option_refs[0]' },
      details: { supported_format_option_refs: [takeover, { scope: 'product', format_option_id: 'film' }] },
    })
  })

  test('a buy shows the context of its order and what it commits to report', async () => {
    const committed_metrics = [{ scope: 'standard', metric_id: 'impressions' }]
    const { data } = await agent.ask(
      line,
      'create_media_buy',
      order({ committed_metrics }, { context: { campaign: `c-${line}` } }),
    )
    expect(data.packages[0].committed_metrics).toEqual([{ ...committed_metrics[0], committed_at: data.confirmed_at }])
    const listed = await agent.ask(line, 'get_media_buys', { account: SUITE_ACCOUNT, media_buy_ids: [data.media_buy_id] })
    expect(listed.data.media_buys[0].context).toEqual({ campaign: `c-${line}` })
  })
})

function official(id: string) {
  return { agent_url: 'https://creative.adcontextprotocol.org', id }
}
