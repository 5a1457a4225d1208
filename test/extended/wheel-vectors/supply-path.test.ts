import { describe, expect, it } from 'vitest'
import { combinePartners, inventoryPartners } from '../../../src/domain/directory/supply-path/partner-files.ts'
import { judgeSupplyPath } from '../../../src/domain/directory/supply-path/supply-path.ts'
import type { SupplyPathInput } from '../../../src/domain/directory/supply-path/types.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Vectors {
  readonly vectors: readonly { readonly id: string; readonly input: SupplyPathInput; readonly expected: object }[]
  readonly inventory_partner_combination_vectors: readonly {
    readonly id: string
    readonly contents: readonly (string | null)[]
    readonly requireAll: boolean
    readonly expected: readonly string[] | null
  }[]
  readonly inventory_partner_domain_vectors: readonly {
    readonly id: string
    readonly text: string
    readonly expected: readonly string[]
  }[]
}

const files = await wheelVectors('supply-path')
const corpus = files.get('vectors.json') as Vectors | undefined

describe.skipIf(wheelIsMissing)('supply-path vectors of 3.2.4', () => {
  it('are all there', () => expect(corpus?.vectors).toHaveLength(78))

  it.each(corpus?.vectors ?? [])('$id', ({ input, expected }) => {
    expect(judgeSupplyPath(input)).toEqual(expected)
  })

  it.each(corpus?.inventory_partner_combination_vectors ?? [])('partners: $id', ({ contents, requireAll, expected }) => {
    const lists = contents.map((text) => (text === null ? null : atOnce(inventoryPartners(text))))
    expect(combinePartners(lists, requireAll)).toEqual(expected)
  })

  it.each(corpus?.inventory_partner_domain_vectors ?? [])('partners: $id', ({ text, expected }) => {
    expect(atOnce(inventoryPartners(text))).toEqual(expected)
  })
})
