import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent?.stop())

const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250, format: 'png' }
const link = { asset_type: 'url', url: 'https://shop.example/' }
const banner = (creative_id: string, name: object, slot = 'image_main') => ({
  creative_id,
  name: creative_id,
  ...name,
  assets: { [slot]: image, landing_page_url: link },
})
const official = { agent_url: 'https://creative.adcontextprotocol.org', id: 'display_300x250_image' }

describe.each(LINES.filter((line) => line !== '3.0'))('creatives under AdCP %s', (line) => {
  const id = (name: string) => `${name}-${line}`
  const rows = async (ids: readonly string[], as = line) => {
    const { data } = await agent.ask(as, 'list_creatives', { account: SUITE_ACCOUNT, filters: { creative_ids: ids } })
    return new Map(data.creatives.map((row: { creative_id: string }) => [row.creative_id, row]))
  }

  test('that say only what kind they are get the format that takes their files, and read back by their kind', async () => {
    const creatives = [
      banner(id('kind'), { format_kind: 'image' }),
      banner(id('option'), {
        format_kind: 'image',
        format_option_ref: { scope: 'product', format_option_id: 'display_300x250' },
      }),
      banner(id('named'), { format_id: official }, 'banner_image'),
      banner(id('own'), { format_id: { agent_url: agent.url, id: 'display_300x250' } }, 'image'),
    ]
    const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives })
    expect(
      data.creatives?.map((row: { action: string }) => row.action),
      JSON.stringify(data),
    ).toEqual(Array(4).fill('created'))
    expect(data.ext?.ignored_members).toBeUndefined()
    const listed = await rows(creatives.map(({ creative_id }) => creative_id))
    expect(listed.get(id('kind'))).toMatchObject({ format_kind: 'image' })
    expect(listed.get(id('option'))).toMatchObject({ format_kind: 'image' })
    expect(listed.get(id('named'))).toMatchObject({ format_id: official })
    expect(listed.get(id('own'))).toMatchObject({ format_id: { id: 'display_300x250_image' } })
    const earlier = await rows([id('kind')], '3.0')
    expect(earlier.get(id('kind'))).toMatchObject({ format_id: { agent_url: agent.url, id: 'display_300x250' } })
  })

  test('come with a package by their kind', async () => {
    const { data } = await agent.ask(line, 'create_media_buy', {
      account: SUITE_ACCOUNT,
      brand: SUITE_ACCOUNT.brand,
      start_time: 'asap',
      end_time: '2026-06-30T00:00:00Z',
      packages: [
        {
          ...{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 5000, bid_price: 3 },
          creatives: [banner(id('inline'), { format_kind: 'image' })],
        },
      ],
    })
    expect(data.packages).toMatchObject([{ creative_assignments: [{ creative_id: id('inline') }] }])
  })

  test('whose size no format takes are refused', async () => {
    const [creative] = [banner(id('huge'), { format_kind: 'image' })]
    const assets = { image_main: { ...image, width: 1201, height: 633 } }
    const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives: [{ ...creative, assets }] })
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  })
})
