import { describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface RecoveryVector {
  readonly id: string
  readonly negotiated_protocol_version: string
  readonly error: { readonly code: string; readonly recovery?: string }
  readonly expected: { readonly schema_valid: boolean; readonly code_known: boolean; readonly effective_recovery: string }
}

const files = await wheelVectors('error-recovery')
const { vectors } = (files.get('vectors.json') ?? { vectors: [] }) as { vectors: RecoveryVector[] }
const contracts = loadContracts()

/** What a seller does with them: judge the form of an error, know a code, and give it its registered recovery class. */
describe.skipIf(wheelIsMissing)('error-recovery vectors of 3.2.4', () => {
  it('are all there', () => expect(vectors).toHaveLength(15))

  it.each(vectors)('$id: form, code and recovery class', ({ negotiated_protocol_version: line, error, expected }) => {
    const contract = contracts.find(line)
    if (!contract) throw new Error(`the build has no contract of ${line}`)
    expect(contract.schemas.validator('core/error.json')(error).length === 0).toBe(expected.schema_valid)
    expect(Object.hasOwn(contract.manifest.error_codes, error.code)).toBe(expected.code_known)
    if (expected.code_known && error.recovery === undefined)
      expect(contract.recoveryOf(error.code)).toBe(expected.effective_recovery)
  })

  for (const { id } of vectors) {
    it.skip(`${id}: retry, correction or escalation, which a buyer decides on; this agent is a seller`, () => {})
  }
})
