import type { BriefHints } from './brief-hints.ts'
import type { ProductFilters } from './product-filters.ts'
import type { Proposal } from './proposal.ts'

/** The budget of a question, in major units of `currency`. */
export interface BudgetLimit {
  readonly currency: string
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** What the buyer wants to spend. */
  readonly target?: number | undefined
}

/** The budget that a request names: its `budget_range` (AdCP core/product-filters.json) before what its brief says. */
export function budgetLimitOf(
  { budget_range: range }: ProductFilters = {},
  hint?: BriefHints['budget'],
): BudgetLimit | undefined {
  const brief = hint && { currency: hint.currency, max: hint.amount, target: hint.amount }
  if (typeof range?.currency !== 'string') return brief
  const { currency } = range
  const min = typeof range.min === 'number' ? range.min : undefined
  const max = typeof range.max === 'number' ? range.max : undefined
  if (brief?.currency !== currency) return { currency, min, max }
  return {
    currency,
    min,
    max: max ?? Math.max(brief.max, min ?? 0),
    target: Math.min(max ?? brief.target, Math.max(brief.target, min ?? 0)),
  }
}

/** The budget of a brief: what it names, or an amount without a currency where all that is offered (`currencies`, ISO 4217) leaves one. */
export function briefBudget({ budget, looseMoney }: BriefHints, currencies: ReadonlySet<string>): BriefHints['budget'] {
  if (budget || !looseMoney) return budget
  const [currency, ...others] = [...currencies].filter((each) => looseMoney.currencies?.includes(each) ?? true)
  return currency === undefined || others.length > 0 ? undefined : { amount: looseMoney.amount, currency }
}

/** What became of an amount that names no currency, or one of several; `filters`: where the request has its filters. */
export function looseMoneyNotes(
  { budget: named, looseMoney }: BriefHints,
  budget: BudgetLimit | undefined,
  filters = 'filters',
): string[] {
  if (named || !looseMoney) return []
  const { amount, currencies, written } = looseMoney
  if (budget?.target !== undefined && budget.target <= amount)
    return [`"${written}" was read as a budget of ${amount} ${budget.currency}, the one currency of it that is offered.`]
  if (budget) return []
  return [
    currencies
      ? `"${written}" was not read as a budget: it may be ${currencies.join(', ').replace(/, (\w+)$/, ' or $1')}. Name the currency, or send ${filters}.budget_range.`
      : `"${written}" was not read as a budget: it names no currency. Write it as "EUR ${amount}", or send ${filters}.budget_range.`,
  ]
}

/** The note on proposals where no budget was read from the request: their amounts are examples. `filters`: where the request has its filters. */
export function noBudgetNotes(budget: BudgetLimit | undefined, proposals: readonly unknown[], filters = 'filters'): string[] {
  return budget || proposals.length === 0
    ? []
    : [`No budget was read, so amounts are examples. Name one as "EUR 20,000", or send ${filters}.budget_range.`]
}

/** An amount brought between the ends of a budget. */
export function withinLimit(
  amount: number,
  { min = 0, max = Number.POSITIVE_INFINITY }: Pick<BudgetLimit, 'min' | 'max'>,
): number {
  return Math.min(max, Math.max(min, amount))
}

/** Why a proposal is outside a budget; undefined when it is inside. */
export function budgetFault({ total_budget_guidance: guidance }: Proposal, limit: BudgetLimit | undefined): string | undefined {
  if (!limit || !guidance) return undefined
  const { currency = '', min = 0, recommended = min } = guidance
  if (currency !== limit.currency) return `it is priced in ${currency}, the budget is in ${limit.currency}`
  if (limit.max !== undefined && min > limit.max) return `it needs at least ${min} ${currency}, the budget ends at ${limit.max}`
  if (limit.max !== undefined && recommended > limit.max)
    return `it is planned for ${recommended} ${currency}, the budget ends at ${limit.max}`
  if (limit.min !== undefined && recommended < limit.min)
    return `it is planned for ${recommended} ${currency}, the budget begins at ${limit.min}`
  return undefined
}
