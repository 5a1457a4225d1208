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

  test('that say only what kind they are get the format that takes their files, and read back in one form', async () => {
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
    const byKind = { format_kind: 'image' }
    const shown = { ...byKind, format_option_ref: { scope: 'product', format_option_id: 'display_300x250' } }
    // 3.1 has a form for each generation of clients: that of the creative which was sent last. 3.2 deprecates ids.
    const last = line === '3.1' ? { format_id: { id: 'display_300x250_image' } } : shown
    for (const name of ['kind', 'option', 'named', 'own'])
      expect(listed.get(id(name)), name).toMatchObject(name === 'named' && line !== '3.1' ? byKind : last)
    await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives: [banner(id('zz-newer'), byKind)] })
    const then = await rows(creatives.map(({ creative_id }) => creative_id))
    for (const name of ['kind', 'option', 'named', 'own'])
      expect(then.get(id(name)), name).toMatchObject(name === 'named' ? byKind : shown)
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
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'creatives[0].assets.image_main' })
    expect(data.adcp_error.message).toMatch(
      /^creatives\[0\]\.assets\.image_main has width 1201 and height 633, .* kind image takes; taken .*300x250, .*728x90/,
    )
    expect(data.adcp_error.message).not.toContain('format_id')
  })

  test('whose kind no format is of, and those that lack an asset, are refused with what is taken', async () => {
    const refused = async (creative: object) =>
      (await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives: [creative] })).data.adcp_error
    expect(await refused({ ...banner(id('bare'), { format_kind: 'image' }), assets: { landing_page_url: link } })).toMatchObject({
      field: 'creatives[0].assets',
      message: expect.stringMatching(/assets of the types image/),
    })
    expect(await refused(banner(id('odd'), { format_kind: 'responsive_creative' }))).toMatchObject({
      field: 'creatives[0].format_kind',
      message: expect.stringMatching(/is "responsive_creative", .*kinds taken: .*image.*video_hosted/),
    })
    const video = { asset_type: 'video', url: 'https://cdn.example/a.mp4', width: 640, height: 360, duration_ms: 700_000 }
    const film = {
      ...banner(id('long'), { format_kind: 'video_hosted' }),
      assets: { video_main: { ...video, container_format: 'mp4' } },
    }
    expect(await refused(film)).toMatchObject({
      field: 'creatives[0].assets.video_main',
      message: expect.stringMatching(/duration_ms 700000.*\d+ ms/),
    })
  })
})
