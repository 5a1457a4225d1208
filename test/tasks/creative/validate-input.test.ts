import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
const option = (format_kind: string, params: object) => ({ format_kind, format_option_id: format_kind, params })
beforeAll(async () => {
  agent = await startReleaseAgent()
  const product = (product_id: string, ...format_options: object[]) =>
    agent.control('seed_product', { product_id, fixture: { name: product_id, channels: ['social'], format_options } })
  await product('reels', option('video_hosted', { duration_ms_range: [3000, 90_000], aspect_ratio: '9:16' }))
  await product('made', option('video_hosted', { duration_ms_exact: 15_000, synthesis_nondeterministic: true }))
  const brief = [{ asset_group_id: 'creative_brief', asset_type: 'brief', required: true }]
  await product('told', option('video_hosted', { synthesis_nondeterministic: true, slots: brief }))
  await product('feed', option('native_in_feed', { title_max_chars: 10, cta_values: ['Buy'] }))
  await product('either', option('image', { width: 300, height: 250 }), {
    ...option('image', { width: 728, height: 90, max_file_size_kb: 100 }),
    format_option_id: 'wide',
  })
}, 120_000)
afterAll(() => agent.stop())

const picture = (size: object) => ({
  format_kind: 'image',
  assets: { image_main: { asset_type: 'image', url: 'https://cdn.example/i.png', ...size } },
})
const video = {
  format_kind: 'video_hosted',
  assets: {
    video_main: { asset_type: 'video', url: 'https://cdn.example/v.mp4', duration_ms: 95_000, width: 1080, height: 1920 },
  },
}
const canonical = (id: string) => ({ kind: 'canonical', id })
const product = (id: string) => ({ kind: 'product', id })

describe.each(LINES.filter((line) => line !== '3.0'))('validate_input under AdCP %s', (line) => {
  const validate = async (manifest: object, ...targets: object[]) =>
    (await agent.ask(line, 'validate_input', { manifest, ...(targets.length > 0 && { targets }) })).data

  test('holds a manifest against each target, in the order of the targets', async () => {
    const { results } = await validate(video, canonical('video_hosted'), product('reels'), product('made'), product('feed'))
    expect(results).toEqual([
      { target: canonical('video_hosted'), result_kind: 'validated_pass' },
      {
        target: product('reels'),
        result_kind: 'validated_fail',
        violations: [
          { rule: 'duration_ms_range', expected: '3000-90000', predicted: 95_000, field: 'assets.video_main.duration_ms' },
        ],
      },
      { target: product('made'), result_kind: 'unvalidatable_nondeterministic' },
      {
        target: product('feed'),
        result_kind: 'validated_fail',
        violations: [{ rule: 'format_kind', expected: 'native_in_feed', predicted: 'video_hosted', field: 'format_kind' }],
      },
    ])
  })

  test('of what is synthesised, judges what goes into it first', async () => {
    const { results } = await validate({ format_kind: 'video_hosted', assets: {} }, product('told'))
    const violations = [{ rule: 'required_slot', expected: 'brief', field: 'assets.creative_brief' }]
    expect(results).toEqual([{ target: product('told'), result_kind: 'validated_fail', violations }])
  })

  test('misses required slots, also of a manifest that says itself what it is', async () => {
    for (const targets of [[canonical('image')], []]) {
      const { results } = await validate({ format_kind: 'image', assets: {} }, ...targets)
      const violations = [{ rule: 'required_slot', expected: 'image', field: 'assets.image_main' }]
      expect(results).toEqual([{ target: canonical('image'), result_kind: 'validated_fail', violations }])
    }
    const wrong = { format_kind: 'image', assets: { image_main: { asset_type: 'url', url: 'https://cdn.example' } } }
    const { results } = await validate(wrong, canonical('image'))
    expect(results[0].violations).toEqual([
      { rule: 'asset_type', expected: 'image', predicted: 'url', field: 'assets.image_main.asset_type' },
    ])
  })

  test('takes what one of the options of a product takes, else names the nearest', async () => {
    const { results } = await validate(picture({ width: 728, height: 90 }), product('either'))
    expect(results[0].result_kind).toBe('validated_pass')
    const heavy = await validate(picture({ width: 728, height: 90, file_size_bytes: 200_000 }), product('either'))
    expect(heavy.results[0].violations).toEqual([
      { rule: 'max_file_size_kb', expected: 100, predicted: 196, field: 'assets.image_main.file_size_bytes' },
    ])
  })

  test('knows the limits of ads in a feed', async () => {
    const text = (content: string) => ({ asset_type: 'text', content })
    const ad = {
      format_kind: 'native_in_feed',
      assets: {
        title: text('Eleven long'),
        advertiser_name: text('Acme'),
        cta: text('Go'),
        landing_page_url: { asset_type: 'url', url: 'https://acme.example' },
      },
    }
    const { results } = await validate(ad, canonical('native_in_feed'), product('feed'))
    expect(results).toMatchObject([
      { result_kind: 'validated_pass' },
      {
        violations: [
          { rule: 'max_chars', expected: 10, predicted: 11 },
          { rule: 'allowed_values', expected: ['Buy'], predicted: 'Go' },
        ],
      },
    ])
  })

  test('reads a manifest that names a format by its id', async () => {
    const manifest = {
      format_id: { agent_url: agent.url, id: 'display_300x250' },
      assets: { image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 } },
    }
    const { results } = await validate(manifest, canonical('image'), product('either'), product('reels'))
    expect(results.map(({ result_kind }: { result_kind: string }) => result_kind)).toEqual([
      'validated_pass',
      'validated_pass',
      'validated_fail',
    ])
  })

  test('names the target that it does not know', async () => {
    expect((await validate(video, canonical('video_hosted'), product('reel'))).adcp_error).toMatchObject({
      code: 'PRODUCT_NOT_FOUND',
      field: 'targets[1].id',
      message: expect.stringContaining('"reels"'),
    })
    expect((await validate(video, canonical('film'))).adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    const elsewhere = { kind: 'third_party_format', id: 'https://formats.example/image' }
    expect((await validate(video, elsewhere)).adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'targets[0].kind',
    })
  })
})

test('validate_input is a task of 3.1: a call that names no release is answered in it, one of 3.0 is told so', async () => {
  const asked = { manifest: video, targets: [canonical('video_hosted')] }
  const { data } = await agent.buyer.call('validate_input', asked)
  expect(data).toMatchObject({ adcp_version: '3.1', results: [{ result_kind: 'validated_pass' }] })
  const { data: refused } = await agent.ask('3.0', 'validate_input', asked)
  expect(refused.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'adcp_version' })
})

test('validate_input under AdCP 3.2 holds a manifest against a format of creative.supported_formats', async () => {
  const { data } = await agent.ask('3.2', 'get_adcp_capabilities', {})
  const declared = data.creative.supported_formats.filter(({ operations }: { operations: string[] }) =>
    operations.includes('validate'),
  )
  expect(declared.length).toBeGreaterThan(0)
  const targets = declared.slice(0, 5).map(({ capability_id: id }: { capability_id: string }) => ({ kind: 'capability', id }))
  const empty = await agent.ask('3.2', 'validate_input', { manifest: { format_kind: 'image', assets: {} }, targets })
  const [banner] = empty.data.results
  expect(banner).toMatchObject({
    target: { id: 'display_300x250' },
    result_kind: 'validated_fail',
    violations: [{ rule: 'required_slot' }],
  })
  const [id] = targets
  const whole = await agent.ask('3.2', 'validate_input', { manifest: picture({ width: 300, height: 250 }), targets: [id] })
  expect(whole.data.results).toEqual([{ target: id, result_kind: 'validated_pass' }])
  const unknown = await agent.ask('3.2', 'validate_input', {
    manifest: picture({ width: 300, height: 250 }),
    targets: [{ kind: 'capability', id: 'display_300x251' }],
  })
  expect(unknown.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'targets[0].id' })
  expect(unknown.data.adcp_error.message).toContain('did you mean "display_300x250"?')
})
