import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { exportBrands, importBrands } from '../../src/operator/brands/import-brands.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { BRANDS, FIGURE } from '../support/brand-agent.ts'
import { acting } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const contracts = loadContracts()
const operator = () => operatorOn(agent.server.store, agent.config, contracts)
let agent: TestAgent
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brands-'))
  agent = await startAgent()
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true })
})

const written = (content: unknown) => {
  const path = join(folder, 'brands.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}
const load = async (content: unknown, dryRun = false) =>
  importBrands(acting(operator(), agent.tenant), { tenantId: agent.tenant, file: await readImportFile(written(content)), dryRun })

describe('brands import and export', () => {
  it('gives back what was imported, and says what a file changes', async () => {
    const first = await load(BRANDS)
    expect(first.added).toEqual(['brand heron', 'brand plain', 'right heron', 'right tune', 'offering kits', 'offering old'])
    expect(await exportBrands(operator(), agent.tenant)).toEqual(BRANDS)
    const next = { ...BRANDS, rights: [{ ...FIGURE, name: 'The new heron' }], offerings: [] }
    const dry = await load(next, true)
    expect(dry).toMatchObject({ added: [], changed: ['right heron'], removed: ['right tune', 'offering kits', 'offering old'] })
    expect(await exportBrands(operator(), agent.tenant)).toEqual(BRANDS)
    await load(next)
    expect((await exportBrands(operator(), agent.tenant))?.rights).toHaveLength(1)
  })

  it('takes the demo file', async () => {
    const demo = JSON.parse(readFileSync(new URL('../../demo/brands.json', import.meta.url), 'utf8'))
    expect((await load(demo, true)).added).toContain('brand nova_motors')
  })

  it.each([
    ['no JSON', '{', /line 1/],
    ['a member that nobody knows', { ...BRANDS, colour: 'red' }, /colour|additional/i],
    [
      'a use that the right does not have',
      { ...BRANDS, rights: [{ ...FIGURE, available_uses: ['likeness'] }] },
      /none of available_uses/,
    ],
    [
      'a use that the protocol does not know',
      {
        ...BRANDS,
        rights: [
          {
            ...FIGURE,
            available_uses: ['tattoo'],
            pricing_options: FIGURE.pricing_options.map((p) => ({ ...p, uses: ['tattoo'] })),
            clearance: {},
          },
        ],
      },
      /\/rights\/0\/available_uses/,
    ],
    [
      'a use without a price',
      { ...BRANDS, rights: [{ ...FIGURE, available_uses: [...FIGURE.available_uses, 'name'] }] },
      /name has no price/,
    ],
    ['a brand that is not in the file', { ...BRANDS, rights: [{ ...FIGURE, brand_id: 'else' }] }, /none of brands/],
    ['an id twice', { ...BRANDS, rights: [FIGURE, FIGURE] }, /twice/],
    [
      'a colour that is none',
      { ...BRANDS, brands: [{ brand_id: 'heron', names: [{ en: 'H' }], colors: { primary: 'red' } }], rights: [], offerings: [] },
      /\/brands\/0\/colors/,
    ],
    [
      'a price of a model that cannot be told before',
      { ...BRANDS, rights: [{ ...FIGURE, pricing_options: [{ ...FIGURE.pricing_options[0], model: 'cpc' }] }] },
      /model/,
    ],
  ])('refuses %s, and imports nothing of it', async (_what, content, message) => {
    const before = await exportBrands(operator(), agent.tenant)
    await expect(load(content)).rejects.toThrow(message)
    expect(await exportBrands(operator(), agent.tenant)).toEqual(before)
  })
})
