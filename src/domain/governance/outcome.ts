import type { GovernedAction } from './action.ts'
import { checkBounds } from './checks/bounds.ts'
import type { PlanState } from './decision.ts'
import type { ActionRecord } from './governed-action.ts'
import { type Commitment, type Plan, toMicros, totalCommitted } from './plan.ts'
import { deny, money, note, type Remark } from './remark.ts'

/** What a buyer reports of an action. Micros of the plan's currency. */
export interface Outcome {
  readonly kind: 'completed' | 'failed' | 'delivery'
  readonly committedMicros: number | undefined
  readonly spendMicros: number | undefined
  /** What the seller said it will deliver, as an action; undefined when it said nothing. */
  readonly planned: GovernedAction | undefined
}

/**
 * What is wrong with an outcome. It has happened, so nothing is refused: money that was spent counts, whether it was allowed or not. `record` is the
 * action before the outcome, `others` what the other actions of the plan committed.
 */
export function reviewOutcome(
  plan: Plan,
  record: ActionRecord,
  others: readonly Commitment[],
  { kind, committedMicros, spendMicros, planned }: Outcome,
): readonly Remark[] {
  const { currency, total } = plan.document.budget
  if (kind === 'failed') return []
  const limit = record.approved?.amountMicros
  const committed = committedMicros ?? record.committedMicros
  const remarks: Remark[] = []
  if (record.approved === undefined)
    remarks.push(note('human_oversight', 'warning', 'the outcome has no approved check of this agent'))
  if (kind === 'delivery') {
    if (spendMicros !== undefined && committed > 0 && spendMicros > committed)
      remarks.push(deny('delivery', `${money(spendMicros, currency)} was spent of ${money(committed, currency)} committed`))
    return remarks
  }
  if (limit !== undefined && committed > limit)
    remarks.push(
      deny('budget_authority', `${money(committed, currency)} was committed where ${money(limit, currency)} was approved`),
    )
  const after = totalCommitted(others) + committed
  if (after > toMicros(total))
    remarks.push(
      deny('budget_authority', `${money(after, currency)} is committed of a budget of ${money(toMicros(total), currency)}`),
    )
  const state: PlanState = { plan: { ...plan, currentActionId: record.actionId }, commitments: others, portfolios: [] }
  return planned ? [...remarks, ...checkBounds(state, planned)] : remarks
}

/** The action after an outcome: a report of the same purchase replaces the one before. */
export function afterOutcome(
  record: ActionRecord,
  { kind, committedMicros }: Outcome,
  sellerReference: string | undefined,
): ActionRecord {
  if (kind === 'delivery') return record
  return {
    ...record,
    committedMicros: kind === 'failed' ? 0 : (committedMicros ?? record.approved?.amountMicros ?? 0),
    status: kind === 'failed' ? 'completed' : 'active',
    sellerReference: sellerReference ?? record.sellerReference,
  }
}
