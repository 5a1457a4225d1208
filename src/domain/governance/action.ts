import type { ReportingFrequency } from '../product/reporting-capabilities.ts'
import type { ChannelShare, PurchaseType } from './plan.ts'

export type Phase = 'purchase' | 'modification' | 'delivery'

/** What an action brought so far, as its seller says. */
export interface DeliveryMetrics {
  /** ISO 8601. */
  readonly reporting_period: { readonly start: string; readonly end: string }
  readonly spend?: number
  readonly cumulative_spend?: number
  readonly impressions?: number
  readonly geo_distribution?: { readonly [country: string]: number | undefined }
  readonly channel_distribution?: { readonly [channel: string]: number | undefined }
  readonly pacing?: 'ahead' | 'on_track' | 'behind'
  readonly audience_distribution?: {
    readonly baseline: string
    readonly indices: { readonly [group: string]: number | undefined }
    readonly cumulative_indices?: { readonly [group: string]: number | undefined }
  }
}

/**
 * An action that is proposed, about to happen or done under a plan, as far as the check states it. Everything that nobody
 * stated is undefined or empty: a rule that needs it says so in a finding instead of guessing.
 */
export interface GovernedAction {
  /** `availability` asks for the budget that is left, without an action. */
  readonly checkType: 'intent' | 'execution' | 'availability'
  readonly phase: Phase
  readonly tool: string | undefined
  readonly purchaseType: PurchaseType
  /** URL of the agent that acts. */
  readonly caller: string
  /** URL of the seller that it acts with. */
  readonly seller: string
  readonly amountMicros: number | undefined
  readonly currency: string | undefined
  readonly startsAt: string | undefined
  readonly endsAt: string | undefined
  readonly countries: readonly string[]
  readonly regions: readonly string[]
  /** Budgets by channel; the channel of an unknown product is undefined. */
  readonly channels: readonly ChannelShare[]
  /** Audiences that are targeted, in words. */
  readonly audiences: readonly string[]
  /** How often the buyer has itself reported to. */
  readonly reporting: ReportingFrequency | undefined
  /** Names and texts in which a policy's subject may show, in lower case. */
  readonly words: string
  readonly metrics: DeliveryMetrics | undefined
  /** The arguments, for conditions on their fields. */
  readonly payload: unknown
}

/** The value at a dot path such as `packages[0].budget` or `packages.0.budget`; undefined when there is none. */
export function valueAt(payload: unknown, path: string): unknown {
  let value = payload
  for (const name of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
