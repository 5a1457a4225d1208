import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readImportFile } from '../../../src/cli/read-import-file.ts'
import { operatorOn } from '../../../src/compose/operator.ts'
import { importFormats } from '../../../src/operator/formats/import-formats.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { acting } from '../../support/operator.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

const contracts = loadContracts()
const folder = mkdtempSync(join(tmpdir(), 'transformers-'))
let agent: ReleaseAgent

/** A format of the publisher's own with a price, beside the standard ones that cost nothing. */
const PRICED = {
  id: 'panorama',
  type: 'display',
  name: 'Panorama',
  renders: [{ role: 'primary', dimensions: { width: 1800, height: 1000, unit: 'px' } }],
  assets: [{ item_type: 'individual', asset_id: 'html', asset_type: 'html', required: true }],
  pricing_options: [{ pricing_option_id: 'po_panorama', model: 'per_unit', unit: 'format', unit_price: 2.5, currency: 'USD' }],
}
const ITEMS = ['Parka', 'Boots', 'Tent'].map((title, index) => ({
  item_id: `sku_${index}`,
  title,
  image_url: `https://cdn.example/${index}.png`,
  link: `https://shop.example/${index}`,
}))

beforeAll(async () => {
  agent = await startReleaseAgent()
  const path = join(folder, 'formats.json')
  writeFileSync(path, JSON.stringify({ version: 1, formats: [PRICED] }))
  const operator = operatorOn(agent.server.store, agent.config, contracts)
  await importFormats(acting(operator, agent.tenant), {
    tenantId: agent.tenant,
    file: await readImportFile(path),
    dryRun: false,
    merge: true,
  })
  const catalogs = [{ catalog_id: 'winter', name: 'Winter', type: 'product', items: ITEMS }]
  const { isError, data } = await agent.ask('3.1', 'sync_catalogs', { account: SUITE_ACCOUNT, catalogs })
  if (isError) throw new Error(JSON.stringify(data))
}, 120_000)
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true, force: true })
})

const format = (id: string) => ({ agent_url: agent.url, id })
const MESSAGE = 'Create a banner for boots.'

describe.each(LINES.filter((line) => line !== '3.0'))('transformers under AdCP %s', (line) => {
  const list = async (args: object = {}) => (await agent.ask(line, 'list_transformers', args)).data
  const build = (args: object) => agent.ask(line, 'build_creative', { message: MESSAGE, ...args })
  const html = (id = 'display_300x250_html5') => ({ transformer_id: 'html_display', target_format_id: format(id) })

  test('are declared and listed with formats and settings', async () => {
    const { data: capabilities } = await agent.ask(line, 'get_adcp_capabilities')
    expect(capabilities.creative).toMatchObject({
      supports_transformers: true,
      supports_spend_controls: true,
      bills_through_adcp: true,
    })
    // Its stories refine builds, which are not kept.
    expect(capabilities.specialisms).not.toContain('creative-transformers')
    const { transformers, pagination } = await list()
    expect(transformers.map(({ transformer_id: id }: { transformer_id: string }) => id)).toEqual([
      'html_display',
      'native_ad',
      'vast_tag',
      'daast_tag',
    ])
    expect(pagination).toEqual({ has_more: false, total_count: 4 })
    const [display] = transformers
    expect(display.output_format_ids).toContainEqual(format('display_728x90_html5'))
    expect(display.output_format_ids).not.toContainEqual(format('video_30s'))
    expect(display.params).toContainEqual(
      expect.objectContaining({ field: 'headline_scale', value_source: 'range', minimum: 0.5, maximum: 2.5 }),
    )
    expect(display).not.toHaveProperty('pricing_options')
    expect(JSON.stringify(display)).not.toContain('winter')
  })

  test('are found by id, name, formats and brief, page by page', async () => {
    const ids = async (args: object) =>
      (await list(args)).transformers.map(({ transformer_id: id }: { transformer_id: string }) => id)
    expect(await ids({ transformer_ids: ['vast_tag', 'unknown'] })).toEqual(['vast_tag'])
    expect(await ids({ name_search: 'NATIVE' })).toEqual(['native_ad'])
    expect(await ids({ output_format_ids: [format('display_300x250_tag')] })).toEqual(['html_display'])
    expect(await ids({ input_format_ids: [{ agent_url: 'https://other.example', id: 'nothing' }] })).toEqual([])
    expect(await ids({ brief: 'A podcast spot, and a video for CTV' })).toEqual(['vast_tag', 'daast_tag'])
    expect(await ids({ brief: 'something warm' })).toHaveLength(4)
    const first = await list({ pagination: { max_results: 3 } })
    expect(first.transformers).toHaveLength(3)
    expect(await ids({ pagination: { max_results: 3, cursor: first.pagination.cursor } })).toEqual(['daast_tag'])
  })

  test('show prices and the catalogs of the account when asked', async () => {
    const args = {
      account: SUITE_ACCOUNT,
      include_pricing: true,
      expand_params: ['catalog', 'voice'],
      transformer_ids: ['html_display'],
    }
    const { transformers } = await list(args)
    const [{ params, pricing_options }] = transformers
    expect(params.at(-1)).toMatchObject({
      field: 'catalog',
      value_source: 'enumerable',
      options: [{ value: 'winter', label: 'Winter', metadata: { type: 'product', items: 3 } }],
    })
    expect(pricing_options).toEqual([
      { ...PRICED.pricing_options[0], applies_to_output_format_ids: [format('panorama')] },
      { pricing_option_id: 'no_charge', model: 'per_unit', unit: 'creative', unit_price: 0, currency: 'USD' },
    ])
    const cursor = { transformer_id: 'html_display', field: 'catalog', options_cursor: 'bm9uc2Vuc2U' }
    const { data, isError } = await agent.ask(line, 'list_transformers', { account: SUITE_ACCOUNT, expand_pagination: [cursor] })
    expect([isError, data.adcp_error.code, data.adcp_error.field]).toEqual([
      true,
      'INVALID_REQUEST',
      'expand_pagination[0].options_cursor',
    ])
  })

  test('are configured: settings outrank the message', async () => {
    const config = { cta: 'Get yours', background: 'navy', headline_scale: 2 }
    const { data } = await build({ ...html(), config, message: `${MESSAGE} Use a red background.` })
    const { html: made } = data.creative_manifest.assets
    expect(made.content).toContain('Get yours')
    expect(made.content).toContain('background:#0d2b52')
    const plain = (await build(html())).data.creative_manifest.assets.html
    expect(plain.content).toContain('background:#ffffff')
  })

  test('adapt an image ad: to HTML of another size, and to a native ad', async () => {
    const creative_manifest = {
      format_id: format('display_300x250'),
      assets: {
        image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 1200, height: 1200, format: 'png' },
        headline: { asset_type: 'text', content: 'Warm boots' },
        click_url: { asset_type: 'url', url: 'https://brand.example/' },
      },
    }
    const wide = await build({ ...html('display_728x90_html5'), creative_manifest, message: undefined })
    expect(wide.data.creative_manifest.assets.html.content).toMatch(/width:728px;height:90px.*https:\/\/cdn\.example\/i\.png/s)
    const [native] = (await list({ transformer_ids: ['native_ad'] })).transformers
    const target_format_id = native.output_format_ids.at(-1)
    const made = await build({ transformer_id: 'native_ad', target_format_id, creative_manifest, message: undefined })
    expect(made.isError, JSON.stringify(made.data)).toBeFalsy()
    expect(JSON.parse(made.data.creative_manifest.assets.openrtb_native.content).assets[0].title.text).toBe('Warm boots')
  })

  test.each([
    ['config.voice', { ...{ transformer_id: 'html_display' }, config: { voice: 'sara' } }, 'INVALID_REQUEST'],
    ['config.headline_scale', { transformer_id: 'html_display', config: { headline_scale: 9 } }, 'INVALID_REQUEST'],
    ['config.background', { transformer_id: 'html_display', config: { background: 'mauve' } }, 'INVALID_REQUEST'],
    ['config.picture', { transformer_id: 'html_display', config: { picture: 'no' } }, 'INVALID_REQUEST'],
    ['config.catalog', { transformer_id: 'html_display', config: { catalog: 'unknown' } }, 'REFERENCE_NOT_FOUND'],
    ['transformer_id', { transformer_id: 'html_displays' }, 'REFERENCE_NOT_FOUND'],
    ['transformer_id', { config: { cta: 'Go' } }, 'INVALID_REQUEST'],
    ['target_format_id', { transformer_id: 'daast_tag' }, 'INVALID_REQUEST'],
    ['max_creatives', { transformer_id: 'html_display', max_creatives: 2 }, 'INVALID_REQUEST'],
    ['variant_axis.dimension', { max_variants: 2, variant_axis: { dimension: 'voice' } }, 'UNSUPPORTED_FEATURE'],
    ['variant_axis.values[1]', { variant_axis: { dimension: 'theme', values: ['dark', 'neon'] } }, 'INVALID_REQUEST'],
  ])('refuse a wrong %s', async (field, args, code) => {
    const { data, isError } = await build({ target_format_id: format('display_300x250_html5'), ...args })
    expect([isError, data.adcp_error?.code, data.adcp_error?.field], JSON.stringify(data)).toEqual([true, code, field])
  })

  test('make variants that differ, each with an id and a price of its own', async () => {
    const args = { ...html('panorama'), account: SUITE_ACCOUNT, max_variants: 3, keep_mode: 'keep_one' }
    const { data } = await build(args)
    const [{ variants }] = data.creatives
    expect(data).not.toHaveProperty('creative_manifest')
    expect(data).toMatchObject({
      vendor_cost: 7.5,
      currency: 'USD',
      leaves_total: 3,
      leaves_returned: 3,
      keep_mode_applied: 'keep_one',
    })
    expect(new Set(variants.map((each: { build_variant_id: string }) => each.build_variant_id)).size).toBe(3)
    expect(new Set(variants.map((each: { recipe_hash: string }) => each.recipe_hash)).size).toBe(1)
    const contents = variants.map(
      (each: { creative_manifest: { assets: { html: { content: string } } } }) => each.creative_manifest.assets.html.content,
    )
    expect(new Set(contents).size).toBe(3)
    expect(variants.map((each: { recommended: boolean }) => each.recommended)).toEqual([true, false, false])
    for (const each of variants)
      expect(each).toMatchObject({ pricing_option_id: 'po_panorama', vendor_cost: 2.5, consumption: { renders: 1 } })
  })

  test('a variant is kept by syncing it under its id', async () => {
    const { data } = await build({ ...html(), account: SUITE_ACCOUNT, max_variants: 2 })
    const [, { build_variant_id: creative_id, creative_manifest }] = data.creatives[0].variants
    const { format_id, assets } = creative_manifest
    const creatives = [{ creative_id, name: 'Kept', format_id, assets }]
    const synced = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives })
    expect(synced.data.creatives[0], JSON.stringify(synced.data)).toMatchObject({ creative_id, action: 'created' })
  })

  test('make a variant for each value of a setting', async () => {
    const variant_axis = { dimension: 'transformer_config', field: 'cta', values: ['Buy', 'Book', 'Go'] }
    const { data } = await build({ ...html(), variant_axis, max_variants: 1 })
    expect(data.creatives[0].variants.map((each: { variant_axis_value: string }) => each.variant_axis_value)).toEqual(
      variant_axis.values,
    )
    const sizes = await build({
      ...html(),
      variant_axis: { dimension: 'transformer_config', field: 'headline_scale' },
      max_variants: 3,
    })
    expect(sizes.data.creatives[0].variants.map((each: { variant_axis_value: number }) => each.variant_axis_value)).toEqual([
      0.5, 1.5, 2.5,
    ])
  })

  test('make a creative for each item of a synced catalog', async () => {
    const { data } = await build({
      ...html(),
      account: SUITE_ACCOUNT,
      config: { catalog: 'winter' },
      max_creatives: 2,
      message: 'An ad.',
    })
    expect(data).toMatchObject({ items_total: 3, items_returned: 2 })
    expect(data.creatives.map((each: { catalog_item_ref: object }) => each.catalog_item_ref)).toEqual([
      { catalog_type: 'product', item_id: 'sku_0' },
      { catalog_type: 'product', item_id: 'sku_1' },
    ])
    const [first, second] = data.creatives.map(
      (each: { variants: { creative_manifest: { assets: { html: { content: string } } } }[] }) =>
        each.variants[0]!.creative_manifest.assets.html.content,
    )
    expect(first).toContain('Parka')
    expect(second).toContain('Boots')
  })

  test('stop at max_spend, and estimate without building', async () => {
    const args = { ...html('panorama'), account: SUITE_ACCOUNT, max_variants: 3 }
    const estimate = await build({ ...args, mode: 'estimate' })
    expect(estimate.data).toMatchObject({
      mode: 'estimate',
      estimate: { leaves_total: 3, variants_per_item: 3, cost_low: 7.5, cost_high: 7.5, currency: 'USD', basis: 'fixed' },
    })
    const capped = await build({ ...args, max_spend: { amount: 6, currency: 'USD' } })
    expect(capped.data).toMatchObject({ budget_status: 'capped', leaves_total: 3, leaves_returned: 2, vendor_cost: 5 })
    expect(capped.data.errors[0]).toMatchObject({ code: 'BUDGET_CAP_REACHED', recovery: 'correctable' })
    for (const more of [{}, { max_variants: 1 }]) {
      const none = await build({ ...args, max_spend: { amount: 1, currency: 'USD' }, ...more })
      expect(none.data.adcp_error).toMatchObject({ code: 'BUDGET_CAP_REACHED', field: 'max_spend.amount' })
    }
    const other = await build({ ...args, max_spend: { amount: 6, currency: 'EUR' } })
    expect(other.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'max_spend.currency' })
  })

  test('a replay gives the same variants', async () => {
    const args = { ...html(), max_variants: 2, idempotency_key: `transformer-replay-${line}` }
    const [first, second] = [await build(args), await build(args)]
    expect(second.data).toMatchObject({ replayed: true })
    expect(second.data.creatives).toEqual(first.data.creatives)
  })

  test.each(['refine_from_build_variant_id', 'signal_conditions'])('refuse %s, which is not declared', async (field) => {
    const signal = { type: 'segment_id', signal_agent_segment_id: 'seg' }
    const values: Record<string, unknown> = { refine_from_build_variant_id: 'bv_1', signal_conditions: [signal] }
    const target = field === 'signal_conditions' ? { target_format_id: format('display_300x250_html5') } : {}
    const { data } = await build({ ...target, [field]: values[field] })
    expect(['UNSUPPORTED_FEATURE', 'INVALID_REQUEST'], JSON.stringify(data)).toContain(data.adcp_error.code)
  })
})

test('under AdCP 3.0 the options of 3.1 are refused by name, and the task by release', async () => {
  const { data } = await agent.ask('3.0', 'build_creative', {
    message: MESSAGE,
    target_format_id: format('display_300x250_html5'),
    max_variants: 2,
  })
  expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'max_variants' })
  const listed = await agent.ask('3.0', 'list_transformers')
  expect(listed.isError).toBe(true)
  const { data: capabilities } = await agent.ask('3.0', 'get_adcp_capabilities')
  expect(capabilities.creative).not.toHaveProperty('supports_transformers')
})
