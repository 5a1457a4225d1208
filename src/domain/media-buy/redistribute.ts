import { AdcpError } from '../../protocol/errors.ts'
import { budgetToMicros, microsToAmount, minorUnitMicros, split } from '../money.ts'
import { totalBudgetMicros } from './create.ts'
import type { MediaBuy } from './media-buy.ts'
import type { Amount, OrderChange } from './order-request.ts'

/** A change of a media buy that may say what the whole is to cost (AdCP 3.2 media-buy/update-media-buy-request.json, `total_budget`, major units). */
export interface WithTotal extends OrderChange {
  readonly total_budget?: Amount
}

/**
 * Replaces the total budget of a change by budgets of packages. A total without package budgets scales every package that is not canceled in proportion; the
 * amounts are payable and add up to the total exactly. Throws INVALID_REQUEST for another currency, and where no package has a budget to scale.
 */
export function withPackageBudgets(request: WithTotal, buy: MediaBuy): OrderChange {
  const { total_budget: total, ...change } = request
  if (!total) return change
  const micros = totalMicros(total, buy)
  if (namesPackages(request)) return change
  const open = buy.packages.filter(({ cancellation }) => !cancellation)
  const weights = open.map(({ terms }) => terms.budgetMicros)
  if (!weights.some((weight) => weight > 0))
    throw new AdcpError('INVALID_REQUEST', 'no package has a budget that a total could scale', { field: 'total_budget' })
  const budgets = split(micros, weights.map(microsToAmount), minorUnitMicros(buy.currency))
  const packages = open.map(({ packageId }, index) => ({ package_id: packageId, budget: microsToAmount(budgets[index] ?? 0) }))
  return { ...change, packages }
}

/** Holds a total against the packages that a change names. Throws VALIDATION_ERROR where they add up to something else. */
export function requireTotal(request: WithTotal, after: MediaBuy): void {
  const { total_budget: total } = request
  const sum = totalBudgetMicros(after)
  if (!total || totalMicros(total, after) === sum) return
  const amounts = `${microsToAmount(sum)} ${after.currency}, not total_budget of ${total.amount}`
  throw new AdcpError('VALIDATION_ERROR', `with this change the budgets of the packages add up to ${amounts}`, {
    field: 'total_budget.amount',
    suggestion: 'leave total_budget out where packages are named, or send it alone to scale them all',
  })
}

/** Whether the packages of a change say themselves what they cost. */
export function namesPackages({ packages = [], new_packages: added = [] }: OrderChange): boolean {
  return packages.length + added.length > 0
}

function totalMicros({ amount, currency }: NonNullable<WithTotal['total_budget']>, buy: MediaBuy): number {
  if (currency !== buy.currency) {
    throw new AdcpError('INVALID_REQUEST', `total_budget.currency must be ${buy.currency}, the currency of the media buy`, {
      field: 'total_budget.currency',
    })
  }
  return budgetToMicros(amount, currency, 'total_budget.amount')
}
