import type { Association, LineSettings, OrderSettings, ServingState } from './desired-order.ts'

/**
 * Where something stands at the ad server. `waiting`: a person there has to approve it first; `rejected`: they did not. Both do not serve, and no
 * step of ours changes that.
 */
export type ObservedState = ServingState | 'waiting' | 'rejected'

/** Where a decision of the people at an ad server stands. */
export type ReviewState = 'waiting' | 'approved' | 'rejected'

/** A creative that the ad server has for an order. */
export interface ObservedCreative {
  /** The ad server's own id. */
  readonly id: string
  readonly externalId: string
  /** The version that {@link DesiredCreative.contentVersion} had when it was written; absent where the ad server cannot store it. */
  readonly contentVersion?: string
  readonly review?: { readonly state: ReviewState; readonly reason?: string }
}

/** A creative on a line; weight and placements are absent where the ad server does not report them. */
export type ObservedAssociation = Pick<Association, 'creativeExternalId'> & Partial<Association>

/** A member that was written and that someone changed, which no setting stands for. */
export interface OtherChange {
  /** As the ad server calls it. */
  readonly field: string
  readonly expected: unknown
  readonly observed: unknown
}

/** A line as the ad server has it. A member of `settings` that is absent is one that the ad server does not report. */
export interface ObservedLine {
  /** The ad server's own id. */
  readonly id: string
  /** Absent on a line that someone added at the ad server. */
  readonly externalId?: string
  readonly state: ObservedState
  readonly settings: Partial<LineSettings>
  readonly associations: readonly ObservedAssociation[]
  readonly others?: readonly OtherChange[]
}

/** An order as the ad server has it now. */
export interface ObservedOrder {
  /** The ad server's own id. */
  readonly id: string
  readonly state: ObservedState
  readonly settings: Partial<OrderSettings>
  readonly lines: readonly ObservedLine[]
  readonly creatives: readonly ObservedCreative[]
  /** Why it waits or was rejected, or what a person has to do there, in the ad server's words. */
  readonly reason?: string
  readonly others?: readonly OtherChange[]
  /** Other orders of the same key, which must not be there; ids of the ad server. */
  readonly duplicateIds?: readonly string[]
}
