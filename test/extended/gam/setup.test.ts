import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandLine } from '../../../tools/agent/command-line.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

interface Suggested {
  readonly pricing_options: readonly { readonly currency: string }[]
}

const found = await findPython()
const PATIENCE = 300_000

describe.skipIf('reason' in found)('a network of Google Ad Manager is set up by commands', () => {
  const line = new CommandLine()
  const key = join(line.folder, 'key.json')
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const options = (products: object) => JSON.stringify({ endpoint: network().plain, products })

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { now: new Date().toISOString() })
    writeFileSync(key, JSON.stringify(emulator.keyFile), { mode: 0o600 })
    await line.json('init', '--demo')
  }, PATIENCE)
  afterAll(async () => {
    await emulator?.close()
    await line.close()
  })

  test('a key of others is refused, and nothing is left', { timeout: PATIENCE }, async () => {
    const wrong = join(line.folder, 'wrong.json')
    writeFileSync(wrong, JSON.stringify({ ...network().keyFile, client_email: 'other@project.example' }), { mode: 0o600 })
    const add = ['adservers', 'add', 'gam', '--network', '4711', '--options', options({})]
    await expect(line.json(...add, '--key', wrong)).rejects.toThrow('gam does not take these credentials')
    expect(JSON.stringify(await line.json('adservers', 'list'))).not.toContain('"gam"')
  })

  test('a product whose place is not named is refused', { timeout: PATIENCE }, async () => {
    const add = ['adservers', 'add', 'gam', '--network', '4711', '--products', 'ros_display', '--key', key]
    await expect(line.json(...add, '--options', options({}))).rejects.toThrow('gam can keep no price of ros_display')
  })

  test('it is added with its key, and a live test books an order that is archived at the end', {
    timeout: PATIENCE,
  }, async () => {
    const products = { ros_display: { adUnits: ['1'], sizes: ['300x250'] } }
    const add = ['adservers', 'add', 'gam', '--network', '4711', '--products', 'ros_display', '--key', key]
    expect(await line.json(...add, '--options', options(products))).toMatchObject({ name: 'gam', type: 'google_ad_manager' })
    const done = await line.json('adservers', 'test', '--live', '--ad-server', 'gam')
    expect(done.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
    expect(done.checks.map(({ check }: { check: string }) => check)).toEqual([
      'answers and takes our credentials',
      'lists inventory',
      'forecasts',
      'takes an order and its line, and finds them by our ids',
      'pauses',
      'goes on',
      'changes a budget',
      'reports',
      'ends the order',
    ])
    const { orders, lineItems } = await network().control()
    expect(orders).toMatchObject([{ displayName: `Live test ${done.order}`, archived: true }])
    expect(lineItems).toMatchObject([{ archived: true }])
  })

  test('the end of the version of the SOAP API is told before it comes', { timeout: PATIENCE }, async () => {
    const settings = {
      endpoint: network().plain,
      network: '4711',
      products: { ros_display: { adUnits: ['1'], sizes: ['300x250'] } },
    }
    const set = (more: object) => line.json('adservers', 'set', 'gam', '--options', JSON.stringify({ ...settings, ...more }))
    await set({ soapVersion: 'v202402' })
    const warning = expect.stringMatching(/^version v202402 of the SOAP API is served no longer since about 2025-02/)
    expect((await line.json('adservers', 'test')).items).toContainEqual({ name: 'gam', ok: true, warnings: [warning] })
    const { stdout } = await line.run(['doctor', '--data', line.data, '--json'])
    expect(stdout).toContain('gam: version v202402 of the SOAP API')
    await set({})
  })

  test('what is there already is listed and suggested as products that can be imported', { timeout: PATIENCE }, async () => {
    const { items: lines } = await line.json('adservers', 'existing', '--ad-server', 'gam')
    expect(lines).toMatchObject([{ is_ours: true, is_archived: true, cost_type: 'CPM' }])
    const found = await line.json('adservers', 'suggest', '--ad-server', 'gam', '--most', '5')
    expect(found.document.products).toHaveLength(5)
    expect(Object.keys(found.explanations)).toEqual(Object.keys(found.options.products))
    const some = ['adservers', 'suggest', '--ad-server', 'gam', '--most', '10']
    const units = (await line.json(...some, '--units', '3,7')).document.products.map(({ name }: { name: string }) => name)
    expect(units.sort()).toEqual(['Unit 3', 'Unit 7'])
    expect((await line.json(...some, '--search', 'unit 1')).document.products).toHaveLength(10)
    await expect(line.json(...some, '--units', '99')).rejects.toThrow('gam has no ad unit 99')
    const currencies = async () => {
      const { document } = await line.json(...some, '--units', '3')
      return document.products.flatMap(({ pricing_options: all }: Suggested) => all.map(({ currency }) => currency))
    }
    const { items: publishers } = await line.json('tenants', 'list')
    const setCurrency = (currency: string) => line.json('tenants', 'set', publishers[0].tenant, '--currency', currency)
    await setCurrency('SEK')
    expect(await currencies()).toEqual(['SEK'])
    await setCurrency('default')
    expect(await currencies()).toEqual(['USD'])
    const file = join(line.folder, 'suggested.json')
    writeFileSync(file, JSON.stringify(found.document))
    expect(await line.json('products', 'import', file, '--merge', '--dry-run')).toMatchObject({ dry_run: true })
    writeFileSync(file, JSON.stringify(found))
    const save = ['adservers', 'save-drafts', '--ad-server', 'gam', '--file', file]
    const saved = await line.json(...save)
    expect(saved.products).toEqual(Object.keys(found.explanations).map((product_id) => ({ product_id, status: 'paused' })))
    const { items } = await line.json('adservers', 'list')
    const { products } = items.find(({ name }: { name: string }) => name === 'gam')
    expect(products).toEqual(['ros_display', ...Object.keys(found.explanations)])
    await expect(line.json(...save)).rejects.toThrow(/there is a product [a-z0-9_]+ already; give the draft another id/)
    writeFileSync(file, JSON.stringify({ ...found, options: { products: {} } }))
    await expect(line.json(...save)).rejects.toThrow('options.products has no place for')
  })

  test('requests, fill and unsold of its ad units are in the report of placements', { timeout: PATIENCE }, async () => {
    const counts = {
      AD_REQUESTS: 1_000,
      UNFILLED_IMPRESSIONS: 250,
      IMPRESSIONS: 740,
      ACTIVE_VIEW_VIEWABLE_IMPRESSIONS: 500,
      CLICKS: 7,
    }
    await network().control({
      asked: [
        { unit: '3', day: '2026-03-01', counts },
        { unit: '3', day: '2026-03-02', counts: { AD_REQUESTS: 100, UNFILLED_IMPRESSIONS: 120 } },
        { unit: '5', day: '2026-03-02', counts: { AD_REQUESTS: 10 } },
        { unit: '5', day: '2026-04-01', counts: { AD_REQUESTS: 10 } },
      ],
    })
    const days = ['--from', '2026-03-01', '--to', '2026-03-31']
    const report = (...more: string[]) => line.json('placements', 'report', '--ad-server', 'gam', ...days, ...more)
    const three = { requests: 1_100, filled: 750, unsold: 350, impressions: 740, viewable_impressions: 500, clicks: 7 }
    expect(await report()).toMatchObject({
      time_zone: 'UTC',
      rows: [
        { dimensions: { placement: '3' }, name: 'Unit 3', ...three },
        { dimensions: { placement: '5' }, name: 'Unit 5', requests: 10, filled: 10, unsold: 0, fill: 1 },
      ],
      totals: { requests: 1_110, filled: 760, unsold: 350 },
    })
    expect((await report('--by', 'day', '--placement', '3')).rows).toMatchObject([
      { dimensions: { day: '2026-03-01' }, requests: 1_000, unsold: 250, fill: 0.75 },
      { dimensions: { day: '2026-03-02' }, requests: 100, unsold: 100, fill: 0 },
    ])
    await expect(report('--by', 'hour')).rejects.toThrow('an ad server counts its ad units by the day')
  })
})
