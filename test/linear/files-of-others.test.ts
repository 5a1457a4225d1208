import { describe, expect, it } from 'vitest'
import { importBrands } from '../../src/domain/brand/import-brands.ts'
import { importFormats } from '../../src/domain/creative/formats/custom-format.ts'
import { ROBOT, robotsAllow } from '../../src/domain/directory/robots.ts'
import { combinePartners } from '../../src/domain/directory/supply-path/partner-files.ts'
import { readCsvRows } from '../../src/domain/product/read-csv.ts'
import { growsTooFast } from '../support/growth.ts'
import { productDocument } from '../support/media-buy-agent.ts'

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const accepts = () => []
const formatsFile = (slots: number) => ({
  version: 1,
  formats: [
    {
      id: 'large',
      type: 'display',
      name: 'Large',
      assets: names('slot', slots).map((asset_id) => ({ item_type: 'individual', asset_id, asset_type: 'text', required: true })),
    },
  ],
})
const importOf = (file: unknown) =>
  importFormats(file, { file: accepts, format: accepts }, { standardIds: new Set(), knownIds: new Set() })

describe('what reads the files of publishers and operators takes time in proportion to them', () => {
  it('robots.txt: agents of one group before as many rules', () => {
    const file = (lines: number) =>
      `${names('user-agent: another-', lines).join('\n')}\n${names('disallow: /private/', lines).join('\n')}`
    expect(growsTooFast(file, (text) => robotsAllow(text, '/.well-known/adagents.json'), 8_000)).toBe(false)
  })

  it('partners that two files name', () => {
    const lists = (count: number) => [names('a', count), names('b', count)]
    expect(growsTooFast(lists, (both) => combinePartners(both, true), 16_000)).toBe(false)
  })

  it('slots of a format, and brands', () => {
    expect(growsTooFast(formatsFile, importOf, 24_000)).toBe(false)
    const brandsFile = (count: number) => ({
      house: { domain: 'a.example' },
      brands: names('b', count).map((brand_id) => ({ brand_id, names: [] })),
    })
    const validators = { file: accepts, identity: accepts, rights: accepts }
    expect(growsTooFast(brandsFile, (file) => importBrands(file, validators), 24_000)).toBe(false)
  })

  it('prices of one product in a table', () => {
    const current = new Map([['news', productDocument('news')]])
    const rows = (count: number) =>
      names('price', count).map((id, index) => ({
        line: index + 2,
        cells: { product_id: 'news', pricing_option_id: id, pricing_model: 'cpm', currency: 'USD', price: '1' },
      }))
    expect(growsTooFast(rows, (all) => readCsvRows(all, '.', current), 8_000)).toBe(false)
    const unnamed = (count: number) =>
      rows(count).map(({ line, cells }) => ({ line, cells: { ...cells, pricing_option_id: '', currency: '' } }))
    expect(growsTooFast(unnamed, (all) => readCsvRows(all, '.', current), 8_000)).toBe(false)
  })
})

describe('and still reads them right', () => {
  it('a robots.txt of the length that is always read counts to its last line', () => {
    const comments = `${'#\n'.repeat(240_000)}user-agent: ${ROBOT}\ndisallow: /`
    expect(robotsAllow(comments, '/.well-known/adagents.json')).toBe(false)
  })

  it('an id that comes twice is named by its place', () => {
    const [first] = formatsFile(2).formats
    const twice = { ...first, assets: [...(first?.assets ?? []), ...(first?.assets ?? [])] }
    expect(importOf({ version: 1, formats: [first, twice] })).toEqual({
      ok: false,
      problems: [
        { pointer: '/formats/1/id', message: 'is the id of an earlier format' },
        { pointer: '/formats/1/assets/2', message: 'slot0 is the id of an earlier slot' },
        { pointer: '/formats/1/assets/3', message: 'slot1 is the id of an earlier slot' },
      ],
    })
  })

  it('a price that a row names by an id it was just given', () => {
    const current = new Map([['news', productDocument('news')]])
    const row = (line: number, id: string) => ({
      line,
      cells: { product_id: 'news', pricing_option_id: id, pricing_model: 'cpm', currency: 'EUR', price: '2' },
    })
    expect(readCsvRows([row(2, 'new'), row(3, 'new')], '.', current).problems).toEqual([
      { line: 3, column: 'pricing_option_id', message: '"new" has a row already, line 2', productId: 'news' },
    ])
  })
})
