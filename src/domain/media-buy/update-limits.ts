import type { Bidding } from './bid.ts'
import { capMicros, capWords, withSharedCap } from './daily-cap.ts'
import type { MediaBuy } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'
import type { Change } from './revise.ts'

/** The buy with the cap that a change gives it, and its packages with it. */
export function withCap(buy: MediaBuy, { daily_budget_cap: sent }: OrderChange, changes: Change[]): MediaBuy {
  const { dailyCapMicros: was, ...rest } = buy
  const is = sent === undefined ? was : capMicros(sent, buy.currency, 'daily_budget_cap')
  const words = capWords(was, is, buy.currency)
  if (words !== undefined) changes.push({ action: 'updated_daily_cap', summary: `Media buy: ${words}` })
  const packages = is === undefined && was === undefined ? buy.packages : withSharedCap(buy.packages, is)
  if (is === was) return { ...buy, packages }
  return { ...rest, packages, ...(is !== undefined && { dailyCapMicros: is }) }
}

/** The buy with another policy of bidding, or without one. */
export function withBidding(buy: MediaBuy, bidding: Bidding | undefined): MediaBuy {
  if (bidding) return { ...buy, bidding }
  const { bidding: _old, ...rest } = buy
  return rest
}
