import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planHash, planPreimage } from '../../../src/domain/governance/plan-hash.ts'

interface Vector {
  readonly name: string
  readonly plan_as_supplied: object
  readonly expected: { readonly jcs_bytes: string; readonly sha256_hex: string; readonly plan_hash: string }
}

const sdk = dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'))
const folder = join(sdk, 'compliance/cache/3.0.6/test-vectors/plan-hash')
const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

describe('plan_hash', () => {
  it('finds the official vectors', () => {
    expect(files).toHaveLength(11)
  })

  it.each(files)('official vector %s', (file) => {
    const vector: Vector = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const preimage = planPreimage(vector.plan_as_supplied)
    expect(preimage).toBe(vector.expected.jcs_bytes)
    expect(createHash('sha256').update(preimage).digest('hex')).toBe(vector.expected.sha256_hex)
    expect(planHash(vector.plan_as_supplied)).toBe(vector.expected.plan_hash)
  })
})
