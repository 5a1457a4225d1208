import { describe, expect, it } from 'vitest'
import { importBrands } from '../../src/domain/brand/import-brands.ts'
import { importFormats } from '../../src/domain/creative/formats/custom-format.ts'
import { ROBOT, robotsAllow } from '../../src/domain/directory/robots.ts'
import { combinePartners } from '../../src/domain/directory/supply-path/partner-files.ts'
import { growsTooFast } from '../support/growth.ts'

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
})
