import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

const LINE = LINES.at(-1) ?? '3.0'
let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
  const creative_policy = {
    provenance_required: true,
    provenance_requirements: {
      require_digital_source_type: true,
      require_disclosure_metadata: true,
      require_embedded_provenance: true,
    },
    accepted_verifiers: [{ agent_url: 'https://verifier.example/mcp' }],
  }
  await product('open', 'display_728x90')
  await product('free', 'display_160x600')
  // Of what the controller seeded, the last product is what creatives without a package are meant for.
  await product('strict', 'display_728x90', { creative_policy })
})
afterAll(() => agent.stop())

const product = async (product_id: string, format: string, fixture: object = {}) => {
  const format_ids = [{ agent_url: agent.url, id: format }]
  await agent.control('seed_product', {
    product_id,
    fixture: { name: product_id, channels: ['display'], format_ids, ...fixture },
  })
}
const size = { display_728x90: { width: 728, height: 90 }, display_160x600: { width: 160, height: 600 } }
const banner = (creative_id: string, more: object = {}, format: keyof typeof size = 'display_728x90') => ({
  creative_id,
  name: creative_id,
  format_id: { agent_url: agent.url, id: format },
  assets: { image: { asset_type: 'image', url: 'https://cdn.example/i.png', ...size[format] } },
  ...more,
})
const sync = async (creative: object, more: object = {}) => {
  const { data } = await agent.ask(LINE, 'sync_creatives', { account: SUITE_ACCOUNT, creatives: [creative], ...more })
  if (!data.creatives) throw new Error(JSON.stringify(data))
  return data.creatives[0]
}
const buy = async (product_id: string, more: object = {}) =>
  (
    await agent.ask(LINE, 'create_media_buy', {
      account: SUITE_ACCOUNT,
      brand: SUITE_ACCOUNT.brand,
      start_time: 'asap',
      end_time: '2026-06-30T00:00:00Z',
      packages: [{ product_id, pricing_option_id: 'default', budget: 5000, ...more }],
    })
  ).data

const WHOLE = {
  digital_source_type: 'digital_capture',
  disclosure: { required: false },
  embedded_provenance: [
    { method: 'manifest_wrapper', provider: 'Encypher', verify_agent: { agent_url: 'https://Verifier.example:443/mcp' } },
  ],
}
const { digital_source_type: _type, ...untyped } = WHOLE
const { disclosure: _disclosure, ...undisclosed } = WHOLE
const { embedded_provenance: _embedded, ...unembedded } = WHOLE
const foreign = { method: 'manifest_wrapper', provider: 'X', verify_agent: { agent_url: 'https://other.example/mcp' } }

describe('the provenance that a product requires', () => {
  test.each([
    ['PROVENANCE_REQUIRED', 'provenance', undefined],
    ['PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING', 'provenance.digital_source_type', untyped],
    ['PROVENANCE_DISCLOSURE_MISSING', 'provenance.disclosure', undisclosed],
    ['PROVENANCE_DISCLOSURE_MISSING', 'provenance.disclosure', { ...WHOLE, disclosure: { required: true } }],
    ['PROVENANCE_EMBEDDED_MISSING', 'provenance.embedded_provenance', unembedded],
    [
      'PROVENANCE_VERIFIER_NOT_ACCEPTED',
      'provenance.embedded_provenance[0].verify_agent.agent_url',
      { ...WHOLE, embedded_provenance: [foreign] },
    ],
  ])('%s names %s', async (code, path, provenance) => {
    const row = await sync(banner('refused', provenance && { provenance }))
    expect(row).toMatchObject({
      action: 'failed',
      errors: [{ code, field: `creatives[0].${path}`, recovery: 'correctable', details: { product_id: 'strict' } }],
    })
  })

  test('is read from the creative, or from an asset in its place', async () => {
    expect(await sync(banner('whole', { provenance: WHOLE }))).toMatchObject({ action: 'created' })
    const { assets } = banner('x')
    const image = { ...assets.image, provenance: untyped }
    expect(await sync(banner('asset', { provenance: WHOLE, assets: { image } }))).toMatchObject({
      errors: [{ field: 'creatives[0].assets.image.provenance.digital_source_type' }],
    })
  })

  test('is not said to have no effect', async () => {
    const provenance = { ...WHOLE, watermarks: [{ media_type: 'image', provider: 'Encypher' }] }
    const { data } = await agent.ask(LINE, 'sync_creatives', {
      account: SUITE_ACCOUNT,
      creatives: [banner('said', { provenance })],
    })
    expect(data.creatives).toMatchObject([{ action: 'created' }])
    expect(data.ext?.ignored_members).toBeUndefined()
  })

  test('is asked of creatives for packages of the product, and of no others', async () => {
    expect(await sync(banner('elsewhere', {}, 'display_160x600'))).toMatchObject({ action: 'created' })
    const open = await buy('open')
    const strict = await buy('strict')
    const to = (order: { packages: { package_id: string }[] }, creative_id: string) => ({
      assignments: [{ creative_id, package_id: order.packages[0]?.package_id }],
    })
    expect(await sync(banner('plain'), to(open, 'plain'))).toMatchObject({ action: 'created' })
    expect(await sync(banner('other'), to(strict, 'other'))).toMatchObject({ errors: [{ code: 'PROVENANCE_REQUIRED' }] })
    const inline = await buy('strict', { creatives: [banner('inline')] })
    const field = 'packages[0].creatives[0].provenance'
    expect(inline.adcp_error).toMatchObject({ code: 'PROVENANCE_REQUIRED', field })
    const creative_assignments = [{ creative_id: 'plain' }]
    const named = { code: 'PROVENANCE_REQUIRED', field: 'packages[0].creative_assignments[0].creative_id' }
    expect((await buy('strict', { creative_assignments })).adcp_error).toMatchObject(named)
    const { data } = await agent.ask(LINE, 'update_media_buy', {
      account: SUITE_ACCOUNT,
      media_buy_id: strict.media_buy_id,
      packages: [{ package_id: strict.packages[0].package_id, creative_assignments }],
    })
    expect(data.adcp_error).toMatchObject(named)
    expect(await sync(banner('whole', { provenance: WHOLE }), to(strict, 'plain'))).toMatchObject({ action: 'unchanged' })
    const assigned = await agent.ask(LINE, 'list_creatives', {
      account: SUITE_ACCOUNT,
      filters: { creative_ids: ['plain'] },
      include_assignments: true,
    })
    expect(assigned.data.creatives[0].assignments.assignment_count).toBe(1)
    expect(await buy('strict', { creatives: [banner('declared', { provenance: WHOLE })] })).toHaveProperty('media_buy_id')
  })
})
