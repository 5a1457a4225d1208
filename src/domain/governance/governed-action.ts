import type { Escalation } from './escalation.ts'
import type { ChannelShare, Commitment } from './plan.ts'

/** The life of one governed purchase under a plan: from the first intent over its execution and delivery. */
export interface ActionRecord extends Commitment {
  readonly planId: string
  readonly principalId: string
  /** Hash of what was asked; the same question belongs to the same action. */
  readonly actionKey: string
  readonly status: 'active' | 'suspended' | 'completed'
  /** The seller's id of what was bought. */
  readonly sellerReference: string | undefined
  /** The last token given out for it; empty before the first. */
  readonly governanceContext: string
  readonly approved: Approved | undefined
  readonly escalation: Escalation | undefined
  readonly counterproposals: number
  readonly checkCount: number
  /** When its seller is to report delivery (ISO 8601); undefined while no report is due. */
  readonly nextCheckAt: string | undefined
  readonly createdAt: string
}

/** What a decision allowed: no more than this amount, on these channels. */
export interface Approved {
  readonly amountMicros: number | undefined
  readonly channels: readonly ChannelShare[]
}
