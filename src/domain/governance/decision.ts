import type { ChannelShare, Commitment, Plan, Portfolio } from './plan.ts'
import type { Category, Condition, Remark } from './remark.ts'

/** Everything that a decision rests on. Nothing in it knows who stores it. */
export interface PlanState {
  /** `currentActionId`: the action that is checked; the result of the check replaces the commitment that the action already has. */
  readonly plan: Plan & { readonly currentActionId?: string }
  readonly commitments: readonly Commitment[]
  readonly portfolios: readonly Portfolio[]
  /** What was approved for this action before: the yardstick of its delivery. */
  readonly approved?: { readonly amountMicros: number | undefined; readonly channels: readonly ChannelShare[] } | undefined
  /** When delivery figures of this action were expected (ISO 8601). */
  readonly expectedBy?: string | undefined
}

export interface Decision {
  readonly status: 'approved' | 'denied' | 'conditions'
  readonly explanation: string
  readonly remarks: readonly Remark[]
  /** Of the status `conditions` only. */
  readonly conditions: readonly Condition[]
  readonly categories: readonly Category[]
  readonly policies: readonly string[]
  /** Why a person has to decide; undefined when none has to. */
  readonly escalation: string | undefined
}
