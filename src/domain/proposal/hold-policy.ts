import { HOUR_MS } from '../calendar/instant.ts'
import type { TenantSettings } from '../identity/principal.ts'

/** How long finalized proposals hold inventory, and how much of it. */
export interface HoldPolicy {
  /** Hours, 1 to {@link MOST_HOLD_HOURS}. */
  readonly hours: number
  /** Per cent of what a product has on a day that one buyer may hold at once; 0: nothing is held. */
  readonly share: number
}

/** Two days: a hold keeps inventory from others. */
export const MOST_HOLD_HOURS = 48
/** Four buyers that hold all they may leave nothing to a fifth; fewer leave something to everybody. */
const USUAL_SHARE = 25

/** The policy of a publisher. */
export function holdPolicy({ holds = {} }: Pick<TenantSettings, 'holds'>): HoldPolicy {
  return { hours: holds.hours ?? MOST_HOLD_HOURS, share: holds.share ?? USUAL_SHARE }
}

/** When a proposal that is finalized now ends (ISO 8601 UTC): with its hold, and before it can no longer be ordered. */
export function commitmentEnd(policy: HoldPolicy, latest: string, now: Date): string {
  const end = new Date(now.getTime() + policy.hours * HOUR_MS).toISOString()
  return end < latest ? end : latest
}
