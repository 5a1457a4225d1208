import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent?.stop())

const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250, format: 'png' }
const link = { asset_type: 'url', url: 'https://shop.example/' }
const banner = (creative_id: string, more: object = {}) => ({
  creative_id,
  name: creative_id,
  format_kind: 'image',
  assets: { image_main: image, landing_page_url: link },
  ...more,
})
const PLACED = { placement_refs: [{ publisher_domain: 'news.example', placement_id: 'news_home_right' }] }
const sync = async (line: string, more: object) => {
  const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, ...more })
  return data
}
const buy = async (line: string, more: object) => {
  const item = { product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 5000 }
  const { data } = await agent.ask(line, 'create_media_buy', {
    account: SUITE_ACCOUNT,
    brand: SUITE_ACCOUNT.brand,
    start_time: 'asap',
    end_time: '2026-06-30T00:00:00Z',
    packages: [{ ...item, ...more }],
  })
  return data
}
const RIGHT = {
  rights_id: 'r-1',
  rights_agent: { url: 'https://rights.example', id: 'rights' },
  uses: ['likeness'],
  valid_until: '2026-04-01T00:00:00Z',
}

describe.each(LINES.filter((line) => line !== '3.0'))('under AdCP %s', (line) => {
  test('placement_refs hold creatives and assignments to these placements', async () => {
    await sync(line, { creatives: [banner(`placed-${line}`)] })
    const inline = banner(`inline-${line}`, PLACED)
    const assigned = { creative_assignments: [{ creative_id: `placed-${line}`, ...PLACED }] }
    for (const more of [assigned, { creatives: [inline] }]) {
      const data = await buy(line, more)
      expect(data.packages, JSON.stringify(data)).toMatchObject([
        { creative_assignments: [{ placement_ids: ['news_home_right'] }] },
      ])
      expect(data.ext?.ignored_members).toBeUndefined()
    }
    const elsewhere = { creative_assignments: [{ creative_id: `placed-${line}`, placement_refs: [{ placement_id: 'nowhere' }] }] }
    expect((await buy(line, elsewhere)).adcp_error.message).toMatch(/placement_ids/)
  })

  test.each([
    ['localization', { source: {} }],
    ['rights', [RIGHT]],
  ])('%s of a creative is refused by name', async (name, value) => {
    const data = await sync(line, { creatives: [banner(`later-${line}`, { [name]: value })] })
    expect(['UNSUPPORTED_FEATURE', 'INVALID_REQUEST']).toContain(data.adcp_error.code)
    expect(data.adcp_error.message).toContain(name)
  })
})

const FALLBACK = { default_locale_variant_id: 'loc_en', unmatched_locale_action: 'serve_default' }
const TARGET = { locale_variant_id: 'loc_es', locale: 'es-MX', assets: { image_main: image, landing_page_url: link } }

describe.skipIf(!LINES.includes('3.2'))('under AdCP 3.2', () => {
  test.each([
    ['rights', [RIGHT]],
    ['localization', { source: { locale_variant_id: 'loc_en', locale: 'en-US' }, target_variants: [TARGET], ...FALLBACK }],
  ])('valid %s are UNSUPPORTED_FEATURE', async (name, value) => {
    const data = await sync('3.2', { creatives: [banner('valid', { [name]: value })] })
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: `creatives[0].${name}` })
  })

  test('no localization is what creatives here have, and the revision has no effect', async () => {
    const data = await sync('3.2', { creatives: [banner('plain', { localization: null, revision_id: 'rev_1' })] })
    expect(data.creatives).toMatchObject([{ action: 'created' }])
    expect(data.ext.ignored_members).toContain('creatives[0].revision_id')
  })

  test('coordinated placements are told that no format is of that kind', async () => {
    const component_assets = { top: { image_main: image, landing_page_url: link } }
    const creative = banner('coordinated', { format_kind: 'coordinated_placements', component_assets })
    expect((await sync('3.2', { creatives: [creative] })).adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'creatives[0].format_kind',
      message: expect.stringMatching(/kinds taken: .*image.*component_assets/),
    })
  })

  test.each([{ group_id: 'pool' }, { rotation_mode: 'sequential', sequence_position: 1 }])(
    'an assignment with %j is refused by name',
    async (more) => {
      await sync('3.2', { creatives: [banner('rotated')] })
      const data = await buy('3.2', { creative_assignments: [{ creative_id: 'rotated', ...more }] })
      const name = 'group_id' in more ? 'group_id' : 'sequence_position'
      expect(data.adcp_error).toMatchObject({
        code: 'UNSUPPORTED_FEATURE',
        field: `packages[0].creative_assignments[0].${name}`,
      })
    },
  )
})
