/** How a line that fell short is made good (AdCP enums/makegood-remedy.json): a line of its own delivers what is missing, or money is given back. */
export const MAKE_GOOD_REMEDIES = ['additional_delivery', 'credit'] as const
export type MakeGoodRemedy = (typeof MAKE_GOOD_REMEDIES)[number]

/** `offered`: the buyer has not answered; `expired`: it did not in time; `withdrawn`: by the publisher. */
export const MAKE_GOOD_STATES = ['offered', 'accepted', 'declined', 'withdrawn', 'expired'] as const
export type MakeGoodState = (typeof MAKE_GOOD_STATES)[number]

/** What a remedy comes to. Money in micros of the order's currency. */
export interface MakeGoodTerms {
  readonly remedy: MakeGoodRemedy
  /** Impressions that are delivered in addition; absent for a credit, and for lines that are sold by other events. */
  readonly impressions?: number
  /** When they are delivered, ISO 8601 UTC; absent for a credit. */
  readonly startsAt?: string
  readonly endsAt?: string
  /** What a credit gives back. */
  readonly micros?: number
}

/** What is offered, or was agreed, for a line that fell short. It is kept with its order. */
export interface MakeGood extends MakeGoodTerms {
  readonly makeGoodId: string
  /** The line or package that fell short. */
  readonly lineId: string
  readonly reason: string
  readonly offeredAt: string
  readonly offeredBy: string
  /** The buyer can answer until then. */
  readonly expiresAt: string
  readonly state: Exclude<MakeGoodState, 'expired'>
  readonly decidedAt?: string
  readonly decidedBy?: string
  /** The line that delivers what was missing. */
  readonly newLineId?: string
}
