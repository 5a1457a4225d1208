import { AdcpError } from '../../protocol/errors.ts'
import type { Condition } from './remark.ts'

export const RESOLUTIONS = ['approved', 'rejected'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** An escalation waits for a person, or was decided. */
export const ESCALATION_STATES = ['pending', ...RESOLUTIONS] as const
export type EscalationState = (typeof ESCALATION_STATES)[number]

/** What a person decided on an action. */
export interface Review {
  readonly resolution: Resolution
  /** Of an approval; empty when it has none. */
  readonly conditions: readonly Condition[]
  /** Who it was. */
  readonly decidedBy: string
  readonly reason: string
  readonly decidedAt: string
}

/** An action that needs, or needed, approval by a person. */
export interface Escalation {
  readonly planId: string
  readonly principalId: string
  readonly actionId: string
  /** The check that was denied for it. */
  readonly checkId: string
  /** The revision of the plan that it was asked under: a yes to another plan is no yes to this one. */
  readonly planHash: string
  readonly caller: string
  readonly tool: string | undefined
  readonly amountMicros: number | undefined
  readonly currency: string
  readonly why: string
  readonly review: Review | undefined
  readonly createdAt: string
}

/** An approval is for the action as it is now, not for next month's. */
const VALID_MS = 7 * 86_400_000

/**
 * The review as it counts for an action: of the same revision of the plan, not outdated, and for no more money than was asked about. A
 * refusal holds as long as the plan does.
 */
export function reviewFor(
  escalation: Escalation | undefined,
  asked: { readonly planHash: string; readonly amountMicros: number | undefined },
  now: Date,
): Review | undefined {
  if (!escalation?.review || escalation.planHash !== asked.planHash) return undefined
  if (escalation.review.resolution === 'rejected') return escalation.review
  if (now.getTime() - Date.parse(escalation.review.decidedAt) > VALID_MS) return undefined
  return (asked.amountMicros ?? 0) <= (escalation.amountMicros ?? Number.MAX_SAFE_INTEGER) ? escalation.review : undefined
}

/** Records a person's decision. Throws INVALID_STATE when there is one already, and INVALID_REQUEST for a decision without a name. */
export function resolve(escalation: Escalation, review: Review): Escalation {
  if (escalation.review)
    throw new AdcpError(
      'INVALID_STATE',
      `${escalation.checkId} was ${escalation.review.resolution} by ${escalation.review.decidedBy} already`,
    )
  if (review.decidedBy.trim() === '') throw new AdcpError('INVALID_REQUEST', 'say who decides', { field: 'by' })
  return { ...escalation, review }
}

/** The simulated reviewer where money is simulated. */
export const SANDBOX_REVIEWER = 'sandbox reviewer (simulated)'

/**
 * What the simulated reviewer of a sandbox decides when an agent comes back to an action that is pending: yes, as long as the budget does not
 * grow. It exists so that the whole way over a person can be walked without one; nothing of it is reached outside a sandbox.
 */
export function sandboxReview(now: Date): Review {
  return {
    resolution: 'approved',
    conditions: [{ field: 'packages', reason: 'a person reviews any increase of the budget' }],
    decidedBy: SANDBOX_REVIEWER,
    reason: 'simulated approval of a sandbox',
    decidedAt: now.toISOString(),
  }
}
