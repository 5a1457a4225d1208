import { type Escalation, type Review, resolve } from '../../domain/governance/escalation.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { findEscalated, saveAction } from '../../store/governance/governance-actions.ts'
import { appendToLog } from '../../store/governance/governance-log.ts'
import { reviewEntry } from './check-entries.ts'

/**
 * Records what a person decided on a check that is pending; the agent learns it when it asks again. Throws REFERENCE_NOT_FOUND for a check that
 * waits for nobody, INVALID_STATE when it is decided already.
 */
export async function decideEscalation(store: Store, tenantId: string, checkId: string, review: Review): Promise<Escalation> {
  return store.transaction(async (tx) => {
    const action = await findEscalated(tx, tenantId, checkId)
    if (!action?.escalation)
      throw new AdcpError('REFERENCE_NOT_FOUND', `no check ${checkId} is pending a decision by a person`, { field: 'check' })
    const escalation = resolve(action.escalation, review)
    await saveAction(tx, tenantId, { ...action, escalation }, new Date(review.decidedAt))
    await appendToLog(tx, { tenantId, principalId: action.principalId }, action.planId, [reviewEntry(escalation, review)])
    return escalation
  })
}
