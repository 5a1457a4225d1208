import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newAjv } from '../../src/protocol/new-ajv.ts'

const KINDS = Array.from({ length: 20 }, (_, index) => `kind${index}`)
const formOf = (kind: string) => ({
  $id: kind,
  type: 'object',
  required: ['kind', 'size'],
  properties: { kind: { const: kind }, size: { type: 'integer', minimum: 1 } },
})
/** Forms of other files, as the official unions have them, and one in place whose constant two forms share. */
const union = (keyword: string) => ({
  type: 'object',
  properties: {
    asset: {
      [keyword]: [
        ...KINDS.map(($ref) => ({ $ref })),
        { type: 'object', properties: { kind: { const: 'shared' }, a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { kind: { const: 'shared' }, b: { type: 'string' } }, required: ['b'] },
      ],
    },
  },
})
const checkOf = (ajv: Ajv, keyword: string) => {
  for (const kind of KINDS) ajv.addSchema(formOf(kind))
  return ajv.compile(union(keyword))
}

describe.each(['oneOf', 'anyOf'])('a union of forms that each name another constant: %s', (keyword) => {
  it('is judged by the one form that a value names', () => {
    const check = checkOf(newAjv(), keyword)
    let reads = 0
    const asset = Object.defineProperty({ kind: 'kind13' }, 'size', {
      enumerable: true,
      get() {
        reads++
        return 1
      },
    })
    expect(check({ asset })).toBe(true)
    // Each form looks whether it is there, and what it is.
    expect(reads).toBeLessThan(5)
  })

  it('takes what it took, with the same findings about what it refuses', () => {
    const [tagged, plain] = [newAjv(), new Ajv({ strict: false, allErrors: true })].map((ajv) => checkOf(ajv, keyword))
    const kind = fc.constantFrom(...KINDS.slice(0, 3), 'shared', 'other', 1, null, '__proto__')
    const fields = { kind, size: fc.constantFrom(0, 1, 'x'), a: fc.string(), b: fc.string() }
    const asset = fc.oneof(fc.record(fields, { requiredKeys: [] }), fc.constantFrom(null, 1, 'text', [], [{ kind: 'kind1' }]))
    fc.assert(
      fc.property(asset, (value) => {
        expect(tagged?.({ asset: value })).toBe(plain?.({ asset: value }))
        expect(tagged?.errors).toEqual(plain?.errors)
      }),
      { numRuns: 300 },
    )
  })
})
