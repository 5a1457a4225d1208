import type { Condition } from '../../domain/governance/remark.ts'
import { decideEscalation as decide } from '../../tasks/governance/decide-escalation.ts'
import { revokeToken } from '../../tasks/governance/revoke-token.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { presentEscalation, type ShownEscalation } from './show-escalations.ts'

export type { Condition }

/** Who decides on a check, and why; both go into the log of its plan. */
interface Decision {
  readonly tenantId: string
  readonly checkId: string
  readonly by: string
  readonly reason: string
}

/**
 * Lets an agent go ahead with an action under a campaign plan, on conditions if there are any, or refuses it. Throws REFERENCE_NOT_FOUND, INVALID_STATE
 * after another decision.
 */
export async function decideEscalation(
  context: OperatorContext,
  input: Decision & { readonly resolution: 'approved' | 'rejected'; readonly conditions: readonly Condition[] },
): Promise<ShownEscalation> {
  const { tenantId, checkId, resolution, conditions, by, reason } = input
  const store = auditedStore(context, { task: `governance.${resolution}`, tenant: tenantId, subject: checkId })
  const review = { resolution, conditions, decidedBy: by, reason, decidedAt: context.clock().toISOString() }
  return presentEscalation(await decide(store, tenantId, checkId, review))
}

/** Takes back the token of an approved check; sellers learn it within a quarter of an hour. Gives the id of the token. Throws REFERENCE_NOT_FOUND. */
export async function revokeApproval(context: OperatorContext, { tenantId, checkId, by, reason }: Decision): Promise<string> {
  const store = auditedStore(context, { task: 'governance.revoke', tenant: tenantId, subject: checkId })
  return revokeToken(store, tenantId, checkId, { actor: by, reason, at: context.clock() })
}
