import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { importFormats } from '../../src/operator/formats/import-formats.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { deleteCustomFormat, loadCustomFormats } from '../../src/store/product/custom-formats.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting } from '../support/operator.ts'

const contracts = loadContracts()
const folder = mkdtempSync(join(tmpdir(), 'formats-'))
let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent.stop())

const panorama = {
  id: 'panorama',
  type: 'display',
  name: 'Panorama',
  renders: [{ role: 'primary', dimensions: { width: 1800, height: 1000, unit: 'px' } }],
  assets: [
    { item_type: 'individual', asset_id: 'html', asset_type: 'html', required: true },
    { item_type: 'individual', asset_id: 'headline', asset_type: 'text', required: false, requirements: { max_length: 40 } },
    { item_type: 'individual', asset_id: 'click_url', asset_type: 'url', asset_role: 'clickthrough', required: true },
  ],
  makes: ['ticker'],
  pricing_options: [{ pricing_option_id: 'po_panorama', model: 'per_unit', unit: 'format', unit_price: 2.5, currency: 'USD' }],
}
const ticker = {
  id: 'ticker',
  type: 'dooh',
  name: 'Ticker',
  assets: [{ item_type: 'individual', asset_id: 'line', asset_type: 'text', required: true }],
}

async function run(formats: unknown, options: { dryRun?: boolean; merge?: boolean } = {}) {
  const path = join(folder, 'formats.json')
  writeFileSync(path, typeof formats === 'string' ? formats : JSON.stringify({ version: 1, formats }))
  const operator = operatorOn(agent.server.store, agent.config, contracts)
  return importFormats(acting(operator, agent.tenant), {
    tenantId: agent.tenant,
    file: await readImportFile(path),
    dryRun: false,
    merge: false,
    ...options,
  })
}
const listed = async (args: object = {}) =>
  (await agent.buyer.call('list_creative_formats', { name_search: 'a', pagination: { max_results: 100 }, ...args })).data.formats

describe("a publisher's own formats", () => {
  it('are imported whole, shown at once, and can be built, synced and sold', async () => {
    expect(await run([panorama, ticker], { dryRun: true })).toEqual({ added: ['panorama', 'ticker'], changed: [], removed: [] })
    expect(await loadCustomFormats(agent.server.store.read, agent.tenant)).toEqual([])
    await run([panorama, ticker])
    expect(await run([panorama, ticker])).toEqual({ added: [], changed: [], removed: [] })
    const format_id = { agent_url: agent.url, id: 'panorama' }
    const [shown] = await listed({ format_ids: [format_id], name_search: undefined })
    const { id: _id, type: _type, makes: _makes, pricing_options: _prices, ...body } = panorama
    expect(shown).toEqual({ ...body, format_id, output_format_ids: [{ agent_url: agent.url, id: 'ticker' }] })
    const built = await agent.run('build_creative', { message: 'An ad for boots.', target_format_id: format_id })
    expect(built.data.creative_manifest.assets.html.content).toContain('width:1800px;height:1000px')
    expect(built.data).toMatchObject({ pricing_option_id: 'po_panorama', vendor_cost: 2.5, currency: 'USD' })
    const creative = { creative_id: 'p', name: 'P', format_id, assets: built.data.creative_manifest.assets }
    const synced = await agent.run('sync_creatives', { creatives: [creative] })
    expect(synced.data.creatives[0]).toMatchObject({ action: 'created', status: 'approved' })
    const wrong = await agent.run('sync_creatives', { creatives: [{ ...creative, assets: {} }] })
    expect(wrong.data.creatives[0]).toMatchObject({ action: 'failed', errors: [{ field: 'creatives[0].assets.html' }, {}] })
  })

  it('show prices to those who ask with an account', async () => {
    const [first] = await listed({
      name_search: 'Panorama',
      include_pricing: true,
      account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    })
    expect(first.pricing_options).toEqual(panorama.pricing_options)
  })

  it('another publisher has none of them', async () => {
    const { data } = await agent.buyer.call('list_creative_formats', { name_search: 'Panorama' })
    expect(data.formats).toHaveLength(1)
    expect(await loadCustomFormats(agent.server.store.read, 'somebody-else')).toEqual([])
  })

  it('everything that is wrong is named, and nothing is imported', async () => {
    await expect(run('{')).rejects.toThrow(
      /formats.json was not imported; 1 to repair:\n {2}line 1, column 2: is no JSON from here on/,
    )
    await expect(run([{ ...ticker, name: 7 }])).rejects.toThrow(/line 1, column \d+: \/formats\/0\/name/)
    await expect(run([{ ...panorama, id: 'display_300x250' }])).rejects.toThrow('/formats/0/id: is the id of a standard format')
    await expect(run([ticker, ticker])).rejects.toThrow('/formats/1/id: is the id of an earlier format')
    await expect(run([panorama])).rejects.toThrow('ticker is no format of this publisher')
    await expect(run([{ ...ticker, assets: [...ticker.assets, ...ticker.assets] }])).rejects.toThrow(
      'line is the id of an earlier slot',
    )
    await expect(
      run([{ ...ticker, assets: [{ item_type: 'individual', asset_id: 'x', asset_type: 'hologram', required: true }] }]),
    ).rejects.toThrow('/formats/0/assets/0')
    expect(await loadCustomFormats(agent.server.store.read, agent.tenant)).toHaveLength(2)
  })

  it('go when the file leaves them out or on demand, but never while a product sells them', async () => {
    const { store } = agent.server
    const sold = productDocument('news', { format_ids: ['ticker'] })
    await store.transaction((tx) =>
      saveProducts(tx, agent.tenant, { version: 1, products: [sold] }, { merge: false }, new Date()),
    )
    await expect(run([{ ...panorama, makes: undefined }])).rejects.toThrow('the format ticker is sold by news')
    expect(await run([{ ...ticker, name: 'Ticker tape' }], { merge: true })).toEqual({
      added: [],
      changed: ['ticker'],
      removed: [],
    })
    await store.transaction((tx) =>
      saveProducts(tx, agent.tenant, { version: 1, products: [productDocument('news')] }, { merge: false }, new Date()),
    )
    expect((await run([{ ...panorama, makes: undefined }])).removed).toEqual(['ticker'])
    expect(await store.transaction((tx) => deleteCustomFormat(tx, agent.tenant, 'panorama'))).toBe(true)
    expect(await store.transaction((tx) => deleteCustomFormat(tx, agent.tenant, 'panorama'))).toBe(false)
    expect(await listed({ name_search: 'Panorama' })).toEqual([])
  })
})
