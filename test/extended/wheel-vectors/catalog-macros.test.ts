import { describe, expect, it } from 'vitest'
import { fillUrl } from '../../../src/domain/creative/macros/fill.ts'
import { wheelFile, wheelIsMissing } from '../../support/wheel.ts'

interface Vector {
  readonly name: string
  readonly macro: string
  readonly value: string
  readonly template: string
  readonly expected: string
}

const file = (await wheelFile('catalog-macro-substitution.json')) as { readonly vectors: readonly Vector[] } | undefined
const vectors = file?.vectors ?? []

describe.skipIf(wheelIsMissing)('catalog-macro-substitution vectors of 3.2.4', () => {
  it('are all there', () => expect(vectors).toHaveLength(11))

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, { macro, value, template, expected }) => {
    expect(fillUrl(template, { [macro.slice(1, -1)]: value })).toBe(expected)
  })
})
