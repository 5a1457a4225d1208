import { describe, expect, it } from 'vitest'
import { decideRecovery } from '../../../src/domain/recovery/recovery-decision.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface RecoveryVector {
  readonly id: string
  readonly negotiated_protocol_version: string
  readonly error: { readonly code: string; readonly recovery?: string }
  readonly retry_state: { readonly retries_attempted: number; readonly max_retries: number }
  readonly expected: {
    readonly schema_valid: boolean
    readonly code_known: boolean
    readonly effective_recovery: string
    readonly action: string
    readonly automatic_retry: boolean
    readonly schedule: { readonly kind: string; readonly minimum_delay_seconds?: number } | null
    readonly retry_budget: { readonly consumed: boolean; readonly next_retries_attempted: number }
  }
}

const files = await wheelVectors('error-recovery')
const { vectors } = (files.get('vectors.json') ?? { vectors: [] }) as { vectors: RecoveryVector[] }
const contracts = loadContracts()

/**
 * `producer_conformant` judges a sender: an error of this server always names its recovery (src/pipeline/with-recovery.ts) and hands on no reason of a
 * buyer, which the other tests hold it to.
 */
describe.skipIf(wheelIsMissing)('error-recovery vectors of 3.2.4', () => {
  it('are all there', () => expect(vectors).toHaveLength(15))

  it.each(vectors)('$id: form, code and decision', ({ negotiated_protocol_version: line, error, retry_state, expected }) => {
    const contract = contracts.find(line)
    if (!contract) throw new Error(`the build has no contract of ${line}`)
    expect(contract.schemas.validator('core/error.json')(error).length === 0).toBe(expected.schema_valid)
    const registered = (code: string) => contract.manifest.error_codes[code]?.recovery
    expect(registered(error.code) !== undefined).toBe(expected.code_known)
    const { retries_attempted: retriesAttempted, max_retries: maxRetries } = retry_state
    const decision = decideRecovery(error, registered, { retriesAttempted, maxRetries })
    const { schedule } = decision
    const delay = schedule?.kind === 'retry_after' ? { minimum_delay_seconds: schedule.minimumDelaySeconds } : {}
    expect({
      effective_recovery: decision.effectiveRecovery,
      action: decision.action,
      automatic_retry: decision.action === 'retry',
      schedule: schedule ? { kind: schedule.kind, ...delay } : null,
      retry_budget: {
        consumed: decision.retriesAttempted > retriesAttempted,
        next_retries_attempted: decision.retriesAttempted,
      },
    }).toEqual({
      effective_recovery: expected.effective_recovery,
      action: expected.action,
      automatic_retry: expected.automatic_retry,
      schedule: expected.schedule,
      retry_budget: expected.retry_budget,
    })
  })
})
