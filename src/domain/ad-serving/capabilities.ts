import type { CanonicalKind } from '../creative/canonical/kind.ts'
import type { Pacing } from '../media-buy/order-request.ts'
import type { Channel } from '../product/offer.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'

/** A dimension of targeting: a member of AdCP core/targeting.json. */
export type TargetingDimension = keyof TargetingOverlay

/** What an ad server can keep. What is missing here is refused when a buyer orders it, not dropped. */
export interface BackendCapabilities {
  /**
   * `at_once`: an order that is written serves. `reviewed`: a person there approves it first; until then the media buy is provisional and its buyer
   * follows a submitted task.
   */
  readonly booking: 'at_once' | 'reviewed'
  readonly pricing: readonly PricingModel[]
  readonly pacing: readonly Pacing[]
  readonly targeting: readonly TargetingDimension[]
  /** Whether it spends no more in a UTC day than a line, and all lines of an order together, may; absent: orders with such a cap are refused. */
  readonly dailyCaps?: boolean
  /**
   * It counts clicks and views itself, by the addresses that it puts into creatives: one that has no place for them is not put on a line that is charged by such an event.
   * Absent: others count.
   */
  readonly countsByCreative?: boolean
  /** Kinds of formats whose creatives it serves (AdCP 3.1 core/canonical-format-kind.json); absent: whatever products name. */
  readonly formats?: readonly CanonicalKind[]
  /** Ids of the products that it has inventory for; absent: every product that is given to it. */
  readonly inventory?: readonly string[]
  /** Channels that it serves on; absent: whatever products name. */
  readonly channels?: readonly Channel[]
  /** Whether lines can change after they were written: budget, flight, price, goal, targeting. */
  readonly changesLines: boolean
  /**
   * `observed`: a change of a buyer is confirmed when it was seen there; until then its task is submitted, and says why it waits. Absent: it is confirmed as soon as it is
   * stored here.
   */
  readonly changes?: 'observed'
  /** Whether orders and lines can be paused and go on. */
  readonly pauses: boolean
  /** Whether an order or a line can be ended before its flight is over. */
  readonly ends: boolean
  /** Whether creatives can be written and associated; without, someone does that at the ad server. */
  readonly creatives: boolean
  /** Whether a creative can be taken from a line again. */
  readonly dissociates: boolean
  /** Finest row of a delivery report. */
  readonly reports: {
    readonly by: 'line' | 'creative'
    /** `total`: what a line delivered so far, of all days; the import books what is new on the day on which it sees it. */
    readonly period: 'hour' | 'day' | 'total'
    /** How often a report is worth asking for; absent: every quarter of an hour. Each import that finds new figures is a revision in the ledger. */
    readonly everyMs?: number
    /** For so many days back the ad server corrects its figures, and each import asks for them again; absent: 8. */
    readonly correctedDays?: number
  }
}

/** The model under which an ad server knows a price: one by time is there the flat price of its flight, since lines have no unit of time. */
export function modelThere<M extends string>(model: M): M | 'flat_rate' {
  return model === 'time' ? 'flat_rate' : model
}
