import { describe, expect, it } from 'vitest'
import { importBrands } from '../../src/domain/brand/import-brands.ts'
import { importFormats } from '../../src/domain/creative/formats/custom-format.ts'
import { managerDomainOf } from '../../src/domain/directory/ads-txt.ts'
import { ROBOT, robotsAllow } from '../../src/domain/directory/robots.ts'
import { combinePartners, inventoryPartners } from '../../src/domain/directory/supply-path/partner-files.ts'
import { readCsvRows } from '../../src/domain/product/read-csv.ts'
import { atOnce, type Steps } from '../../src/platform/concurrency/steps.ts'
import { growsTooFast } from '../support/growth.ts'
import { productDocument } from '../support/media-buy-agent.ts'

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const PATH = '/.well-known/adagents.json'
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
    expect(growsTooFast(file, (text) => atOnce(robotsAllow(text, PATH)), 8_000)).toBe(false)
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
    expect(growsTooFast(rows, (all) => readCsvRows(all, current), 8_000)).toBe(false)
    const unnamed = (count: number) =>
      rows(count).map(({ line, cells }) => ({ line, cells: { ...cells, pricing_option_id: '', currency: '' } }))
    expect(growsTooFast(unnamed, (all) => readCsvRows(all, current), 8_000)).toBe(false)
  })
})

describe('and in steps, none of which is long, so that others are served between them', () => {
  const MEGABYTE = 1_048_576
  const readers: readonly [string, (text: string) => Steps<unknown>][] = [
    ['the manager of an ads.txt', managerDomainOf],
    ['the partners of an ads.txt', inventoryPartners],
    ['the rules of a robots.txt', (text) => robotsAllow(text, PATH)],
  ]
  const texts = ['\n', '#\r', 'MANAGERDOMAIN=a.b\n', 'inventorypartnerdomain=a.b\n', 'allow:/*\n']
  it.each(readers)('%s, of many lines', (_what, read) => {
    for (const line of texts) {
      const text = `user-agent: *\n${line.repeat(MEGABYTE / line.length)}`
      const steps = read(text)
      let count = 0
      while (!steps.next().done) count += 1
      expect(count, JSON.stringify(line)).toBeGreaterThan(100)
    }
  })
})

describe('and still reads them right', () => {
  it('lines of every kind of end', () => {
    const text = 'MANAGERDOMAIN=a.example\rINVENTORYPARTNERDOMAIN=b.example\r\n\nInventoryPartnerDomain = c.example # x'
    expect(atOnce(managerDomainOf(text))).toBe('a.example')
    expect(atOnce(inventoryPartners(text))).toEqual(['b.example', 'c.example'])
  })

  it('a robots.txt of the length that is always read counts to its last line', () => {
    const comments = `${'#\n'.repeat(240_000)}user-agent: ${ROBOT}\ndisallow: /`
    expect(atOnce(robotsAllow(comments, PATH))).toBe(false)
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
    expect(readCsvRows([row(2, 'new'), row(3, 'new')], current).problems).toEqual([
      { line: 3, column: 'pricing_option_id', message: '"new" has a row already, line 2', productId: 'news' },
    ])
  })
})
