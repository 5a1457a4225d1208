import { microsToAmount } from '../money.ts'

/** Days of caps are those of delivery and billing. */
export const CAP_ZONE = 'UTC'

interface Capped {
  readonly dailyCap?: { readonly ownMicros?: number }
}

interface CappedBuy {
  readonly dailyCapMicros?: number
  readonly packages: readonly { readonly terms: Capped }[]
}

/** The cap of a package as answers show it (core/package.json, major units). */
export function presentOwnCap({ dailyCap }: Capped) {
  return dailyCap?.ownMicros === undefined ? {} : { daily_budget_cap: microsToAmount(dailyCap.ownMicros) }
}

/** The cap of a media buy and, where it or a package has one, the zone of its days (core/media-buy.json). */
export function presentSharedCap({ dailyCapMicros, packages }: CappedBuy) {
  const isCapped = dailyCapMicros !== undefined || packages.some(({ terms }) => terms.dailyCap?.ownMicros !== undefined)
  return {
    ...(dailyCapMicros !== undefined && { daily_budget_cap: microsToAmount(dailyCapMicros) }),
    ...(isCapped && { budget_cap_timezone: CAP_ZONE }),
  }
}
