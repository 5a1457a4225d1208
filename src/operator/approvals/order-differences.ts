import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { microsToAmount } from '../../domain/money.ts'

/** What a change of an order makes different: money in units of the currency, times ISO 8601. An absent side: it is added or taken away. */
export interface OrderDifference {
  /** `order`, or the id of the package. */
  readonly of: string
  readonly product_id: string | undefined
  readonly what: 'budget' | 'start' | 'end' | 'bid' | 'impressions'
  readonly before: number | string | undefined
  readonly after: number | string | undefined
}

/** The terms of an order that a change makes different, the total first. */
export function orderDifferences(before: readonly Package[], after: readonly Package[]): readonly OrderDifference[] {
  const [was, will] = [before, after].map((packages) => microsToAmount(totalBudgetMicros({ packages })))
  const total = was === will ? [] : [{ of: 'order', product_id: undefined, what: 'budget' as const, before: was, after: will }]
  const known = new Map(before.map((pkg) => [pkg.packageId, pkg]))
  return [...total, ...after.flatMap((pkg) => packageDifferences(known.get(pkg.packageId), pkg))]
}

function packageDifferences(before: Package | undefined, after: Package): readonly OrderDifference[] {
  const [old, wanted] = [before && termsOf(before), termsOf(after)]
  return WHATS.flatMap((what) => {
    const [was, will] = [old?.[what], wanted[what]]
    return was === will ? [] : [{ of: after.packageId, product_id: after.productId, what, before: was, after: will }]
  })
}

const WHATS = ['budget', 'start', 'end', 'bid', 'impressions'] as const

function termsOf({ terms }: Package) {
  const { budgetMicros, startsAt, endsAt, bidMicros, impressions } = terms
  return {
    budget: microsToAmount(budgetMicros),
    start: startsAt,
    end: endsAt,
    bid: bidMicros === undefined ? undefined : microsToAmount(bidMicros),
    impressions,
  }
}
