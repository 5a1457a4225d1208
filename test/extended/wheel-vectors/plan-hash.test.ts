import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { planHash, planPreimage } from '../../../src/domain/governance/plan-hash.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Vector {
  readonly plan_as_supplied: object
  readonly expected: { readonly jcs_bytes: string; readonly sha256_hex: string; readonly plan_hash: string }
}

const files = [...(await wheelVectors('plan-hash'))]

describe.skipIf(wheelIsMissing)('plan-hash vectors of 3.2.4', () => {
  it('are all there', () => expect(files).toHaveLength(11))

  it.each(files)('%s', (_file, value) => {
    const { plan_as_supplied: plan, expected } = value as Vector
    const preimage = planPreimage(plan)
    expect(preimage).toBe(expected.jcs_bytes)
    expect(createHash('sha256').update(preimage).digest('hex')).toBe(expected.sha256_hex)
    expect(planHash(plan)).toBe(expected.plan_hash)
  })
})
