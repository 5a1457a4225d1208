import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import { toMicros, totalCommitted } from '../plan.ts'
import { deny, escalate, money, note, type Remark } from '../remark.ts'

/** Whether the plan has the money, and whether the agent may spend it without asking (AdCP sync-plans-request.json, `budget`). */
export function checkBudget({ plan, commitments, portfolios, approved }: PlanState, action: GovernedAction): readonly Remark[] {
  const { budget } = plan.document
  const { amountMicros: amount } = action
  const foreign = action.currency !== undefined && action.currency !== budget.currency
  if (foreign) {
    const explanation = `the plan is in ${budget.currency}; nothing in ${action.currency} can be spent under it`
    return [deny('budget_authority', explanation, { details: { code: 'CURRENCY_MISMATCH', currency: budget.currency } })]
  }
  if (amount === undefined) return []
  const others = commitments.filter((each) => each.actionId !== plan.currentActionId)
  const room = (limit: number, spent: number, what: string, details: object = {}): readonly Remark[] => {
    if (spent + amount <= limit) return []
    const over = spent + amount - limit
    const already = spent > 0 ? ` beside ${money(spent, budget.currency)} committed already` : ''
    return [
      deny(
        'budget_authority',
        `${money(amount, budget.currency)}${already} exceeds ${what} of ${money(limit, budget.currency)} by ${money(over, budget.currency)}`,
        {
          details: {
            code: 'SPENDING_AUTHORITY_EXCEEDED',
            limit: limit / 1e6,
            requested: amount / 1e6,
            committed: spent / 1e6,
            exceeded_by: over / 1e6,
            currency: budget.currency,
            ...details,
          },
        },
      ),
    ]
  }
  const total = toMicros(budget.total)
  const ofType = others.filter((each) => each.purchaseType === action.purchaseType)
  const ofSeller = others.filter((each) => each.seller === action.seller)
  const allocation = budget.allocations?.[action.purchaseType]
  return [
    ...room(total, totalCommitted(others), "the plan's total budget"),
    ...(allocation?.amount === undefined
      ? []
      : room(toMicros(allocation.amount), totalCommitted(ofType), `the allocation for ${action.purchaseType}`)),
    ...(allocation?.max_pct === undefined
      ? []
      : room(
          (total * allocation.max_pct) / 100,
          totalCommitted(ofType),
          `the ${allocation.max_pct}% for ${action.purchaseType}`,
        )),
    ...(budget.per_seller_max_pct === undefined
      ? []
      : room(
          (total * budget.per_seller_max_pct) / 100,
          totalCommitted(ofSeller),
          `the ${budget.per_seller_max_pct}% for one seller`,
        )),
    ...portfolios.flatMap(({ planId, document, committedMicros }) => {
      const cap = document.portfolio?.total_budget_cap
      if (!cap || cap.currency !== budget.currency) return []
      return room(toMicros(cap.amount), committedMicros, 'the cap of the portfolio').map((each) => ({
        ...each,
        sourcePlanId: planId,
      }))
    }),
    ...beyondApproval(approved, action, amount, budget.currency),
    ...authority(plan.document, action, amount),
    ...nearLimit(total, totalCommitted(others) + amount, budget.currency),
  ]
}

/** A seller executes what was approved, and no more. */
function beyondApproval(
  approved: PlanState['approved'],
  action: GovernedAction,
  amount: number,
  currency: string,
): readonly Remark[] {
  const limit = approved?.amountMicros
  if (action.checkType !== 'execution' || action.phase === 'delivery' || limit === undefined || amount <= limit) return []
  return [deny('budget_authority', `${money(amount, currency)} is more than the ${money(limit, currency)} that was approved`)]
}

/** Above the threshold a person decides; a change of an action that is under way counts with what it moves. */
function authority({ budget }: PlanState['plan']['document'], action: GovernedAction, amount: number): readonly Remark[] {
  const threshold = 'reallocation_threshold' in budget ? toMicros(budget.reallocation_threshold) : undefined
  if (threshold === undefined || action.phase === 'delivery' || amount <= threshold) return []
  return [
    escalate(
      'budget_authority',
      `${money(amount, budget.currency)} is above the ${money(threshold, budget.currency)} that the agent may commit without a person`,
      {
        details: {
          code: 'APPROVAL_THRESHOLD_EXCEEDED',
          threshold: threshold / 1e6,
          requested: amount / 1e6,
          exceeded_by: (amount - threshold) / 1e6,
          currency: budget.currency,
        },
      },
    ),
  ]
}

/** From nine tenths on a plan's owner wants to know. */
const NEAR = 0.9

function nearLimit(total: number, after: number, currency: string): readonly Remark[] {
  if (after > total || after < total * NEAR) return []
  return [note('budget_authority', 'info', `${money(after, currency)} of ${money(total, currency)} would be committed`)]
}
