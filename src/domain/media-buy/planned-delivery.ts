import { microsToAmount } from '../money.ts'
import type { Channel } from '../product/offer.ts'
import type { FrequencyCap } from '../product/targeting-overlay.ts'
import { totalBudgetMicros } from './create.ts'
import type { MediaBuy, Package } from './media-buy.ts'

/** What an order would really run (AdCP core/planned-delivery.json). */
export interface PlannedDelivery {
  geo?: { countries?: string[]; regions?: string[] }
  channels?: Channel[]
  start_time?: string
  end_time?: string
  frequency_cap?: FrequencyCap
  audience_summary?: string
  /** Major units of `currency`. */
  total_budget?: number
  currency?: string
}

/** What this seller will really run of a media buy (AdCP core/planned-delivery.json): its packages together, without those that are cancelled. */
export function plannedDelivery(buy: MediaBuy): PlannedDelivery {
  const packages = buy.packages.filter((pkg) => !pkg.cancellation)
  const countries = everywhere(packages, (pkg) => pkg.targetingOverlay?.geo_countries)
  const regions = everywhere(packages, (pkg) => pkg.targetingOverlay?.geo_regions)
  const [frequencyCap, ...otherCaps] = unique(packages.map((pkg) => JSON.stringify(pkg.targetingOverlay?.frequency_cap ?? null)))
  const audiences = unique(packages.flatMap((pkg) => pkg.targetingOverlay?.audience_include ?? []))
  const cap = packages[0]?.targetingOverlay?.frequency_cap
  return {
    ...((countries || regions) && { geo: { ...(countries && { countries }), ...(regions && { regions }) } }),
    channels: unique(packages.flatMap((pkg) => pkg.channels)),
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    ...(cap && frequencyCap !== undefined && otherCaps.length === 0 && { frequency_cap: cap }),
    ...(audiences.length > 0 && { audience_summary: `audiences ${audiences.join(', ')}` }),
    total_budget: microsToAmount(totalBudgetMicros(buy)),
    currency: buy.currency,
  }
}

/** Whether a change commits more money, or the same money to something else. What only gets smaller needs no consent. */
export function altersCommitment(before: MediaBuy, after: MediaBuy): boolean {
  if (after.cancellation) return false
  if (totalBudgetMicros(after) > totalBudgetMicros(before)) return true
  const rest = ({ total_budget: _amount, ...delivery }: PlannedDelivery) => JSON.stringify(delivery)
  const live = { ...before, packages: before.packages.filter((pkg) => !isDropped(pkg, after)) }
  return rest(plannedDelivery(live)) !== rest(plannedDelivery(after)) || movesMoney(before, after)
}

function isDropped(pkg: Package, after: MediaBuy): boolean {
  return after.packages.some((other) => other.packageId === pkg.packageId && other.cancellation !== undefined)
}

/** Money that leaves one package for another. */
function movesMoney(before: MediaBuy, after: MediaBuy): boolean {
  const was = new Map(before.packages.map((pkg) => [pkg.packageId, pkg.terms.budgetMicros]))
  return after.packages.some((pkg) => !pkg.cancellation && pkg.terms.budgetMicros > (was.get(pkg.packageId) ?? 0))
}

/** Where all packages run: the union of their places, unknown as soon as one of them is not bound to any. */
function everywhere(
  packages: readonly Package[],
  placesOf: (pkg: Package) => readonly string[] | undefined,
): string[] | undefined {
  if (packages.length === 0 || !packages.every((pkg) => placesOf(pkg) !== undefined)) return undefined
  return unique(packages.flatMap((pkg) => placesOf(pkg) ?? []))
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
