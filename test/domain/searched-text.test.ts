import { afterEach, describe, expect, it, vi } from 'vitest'
import { filterFormats } from '../../src/domain/creative/formats/filter-formats.ts'
import { standardFormats } from '../../src/domain/creative/formats/standard-formats.ts'
import { selectTransformers } from '../../src/domain/creative/transformers/offered.ts'
import { checkAsset } from '../../src/domain/creative/validate-asset.ts'
import { beginningOf, withoutMarks } from '../../src/domain/normal-text.ts'
import { readBrief } from '../../src/domain/product/brief.ts'
import { searchRights } from '../../src/domain/rights/search.ts'
import { searchBrands } from '../../src/domain/rights/search-brands.ts'
import { chooseOffering, matchProducts } from '../../src/domain/si/offering.ts'
import { indexSignals, searchSignals } from '../../src/domain/signal/search-signals.ts'
import { createScriptedSiHost } from '../../src/features/sponsored-intelligence/scripted-si-host.ts'
import { decided } from './governance/fixtures.ts'

const TEXT = 'İstanbul '.repeat(20).trim()
const formats = standardFormats('https://ads.harborline.example/mcp')
const names = Array.from({ length: 30 }, (_, index) => `name ${index}`)

afterEach(() => void vi.restoreAllMocks())

/** How often the text of the caller was put into lower case. */
async function folds(run: () => unknown): Promise<number> {
  const fold = vi.spyOn(String.prototype, 'toLowerCase')
  await run()
  return fold.mock.contexts.filter((text) => String(text) === TEXT).length
}

describe('the text of a caller is put into lower case once, however much it is held against', () => {
  it.each<readonly [string, () => unknown]>([
    ['names of formats', () => filterFormats(formats, { name_search: TEXT })],
    [
      'names of transformers',
      () => {
        const offered = names.map((name) => ({
          transformer: { id: name, name, keywords: [], takes: () => true, makes: () => true },
          inputs: [],
          outputs: [],
        }))
        return selectTransformers(offered as never, { name_search: TEXT })
      },
    ],
    [
      'prohibited terms of a slot',
      () => {
        const slot = { item_type: 'individual', asset_id: 'a', asset_type: 'text', required: true } as const
        const asset = { asset_type: 'text', content: TEXT } as const
        return checkAsset({ ...slot, requirements: { prohibited_terms: names } }, asset, 'assets.a')
      },
    ],
    [
      'attributes and audiences that a plan excludes',
      () => decided({ restricted_attributes_custom: names }, { audiences: [TEXT] }),
    ],
    [
      'products of a conversation',
      () => {
        const products = names.map((name) => ({ product_id: name, name }))
        const offering = { offering_id: 'o', brand_id: 'b', summary: 's', products }
        const turn = { brandName: 'b', offering, text: TEXT, action: undefined, isOpening: false, shown: [], wanted: undefined }
        return createScriptedSiHost().reply(turn as never)
      },
    ],
  ])('%s', async (_what, run) => {
    // Other readers of the same text (its words) may put it into lower case for themselves.
    expect(await folds(run)).toBeLessThanOrEqual(2)
    expect(await folds(run)).toBeGreaterThan(0)
  })
})

describe('what is read of a text', () => {
  it('is bounded as it is sent and in its normal form, which may be eighteen times as long', () => {
    const ligatures = '\ufdfa'.repeat(20_000)
    const read = beginningOf(ligatures, 20_000)
    expect(withoutMarks(read).length).toBeLessThanOrEqual(20_000)
    expect(withoutMarks(read).length).toBeGreaterThan(18_000)
    expect(beginningOf('a'.repeat(20_001), 20_000)).toHaveLength(20_000)
    expect(beginningOf('\u0301'.repeat(200_000), 20_000)).toHaveLength(20_000)
    const short = 'A caf\u00e9, \ufb01ve words.'
    expect(beginningOf(short, 20_000)).toBe(short)
  })

  it.each<readonly [string, (text: string) => unknown]>([
    ['a brief', readBrief],
    ['a search for signals', (text) => searchSignals(indexSignals([]), text)],
    ['an intent of a conversation', (text) => chooseOffering([], String, text, new Date())],
    ['what a user says', (text) => matchProducts([], text)],
    ['a search for rights', (query) => searchRights([], { query, uses: [] }, { buyer: {}, others: [], today: '' } as never)],
    [
      'a search for brands',
      (query) => searchBrands({ brands: [], rights: [], industries: new Set() } as never, { query }, {} as never),
    ],
  ])('is at most 20,000 characters at a time: %s', (_what, read) => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    read('\ufdfa'.repeat(20_000))
    const written = normalize.mock.results.map(({ value }) => String(value).length)
    expect(written.length).toBeGreaterThan(0)
    expect(Math.max(...written)).toBeLessThanOrEqual(20_000)
  })
})
