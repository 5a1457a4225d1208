import { randomUUID } from 'node:crypto'
import type { GovernedAction } from '../../domain/governance/action.ts'
import type { Decision } from '../../domain/governance/decision.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { CheckContext } from './run-check.ts'

/** A signed governance context and when it ends. */
export interface IssuedToken {
  readonly value: string
  readonly expiresAt: string
}

/** AdCP JWS profile: an intent is acted on within a quarter of an hour, an execution reports for 30 days. */
const INTENT_SECONDS = 15 * 60
const EXECUTION_SECONDS = 30 * 24 * 60 * 60

interface Subject {
  readonly checkId: string
  readonly plan: Plan
  readonly action: GovernedAction
  readonly decision: Decision
  readonly record: ActionRecord
  readonly payload: object | undefined
}

/**
 * The token of an answer that is no denial, addressed to the seller of the action. A later phase without the id of the media buy is issued as
 * an intent: a verifier would refuse it otherwise (AdCP JWS profile, action binding).
 */
export async function issueToken(
  { services, now }: Pick<CheckContext, 'services' | 'now'>,
  { checkId, plan, action, decision, record, payload }: Subject,
): Promise<IssuedToken> {
  const iat = Math.floor(now.getTime() / 1000)
  const named = payload !== undefined && 'media_buy_id' in payload ? payload.media_buy_id : undefined
  const mediaBuyId = typeof named === 'string' ? named : record.sellerReference
  const executes = action.checkType === 'execution' && mediaBuyId !== undefined
  const exp = iat + (executes ? EXECUTION_SECONDS : INTENT_SECONDS)
  const value = await services.governanceTokens.sign({
    sub: plan.planId,
    plan_hash: plan.planHash,
    aud: action.seller,
    iat,
    exp,
    jti: randomUUID(),
    phase: executes ? action.phase : 'intent',
    caller: action.caller,
    check_id: checkId,
    ...(executes && { media_buy_id: mediaBuyId }),
    policy_decisions: decision.policies.map((policy_id) => ({ policy_id, outcome: outcomeOf(policy_id, decision) })),
    status: decision.status === 'conditions' ? 'conditions' : 'approved',
  })
  return { value, expiresAt: new Date(exp * 1000).toISOString() }
}

function outcomeOf(policyId: string, { remarks }: Decision) {
  const own = remarks.filter((remark) => remark.policyId === policyId)
  if (own.some(({ effect }) => effect !== 'none')) return 'violated' as const
  const worst = own.find(({ severity }) => severity === 'warning') ?? own[0]
  return worst === undefined || worst.severity === 'critical' ? ('compliant' as const) : worst.severity
}
