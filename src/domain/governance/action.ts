import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { ChannelShare, PurchaseType } from './plan.ts'

export type Phase = 'purchase' | 'modification' | 'delivery'

export type DeliveryMetrics = NonNullable<CheckGovernanceRequest['delivery_metrics']>

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
  readonly reporting: 'hourly' | 'daily' | 'monthly' | undefined
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
