import type { GovernedAction } from './action.ts'
import type { Decision } from './decision.ts'
import type { Plan } from './plan.ts'
import { note, type Remark } from './remark.ts'

/** A running campaign is checked once a week. */
const NEXT_CHECK_MS = 7 * 86_400_000

/** When a seller is to report delivery figures (ISO 8601); undefined when none are due: after a denial, and at the end of the plan. */
export function nextCheckAt(
  { checkType }: Pick<GovernedAction, 'checkType'>,
  { status }: Pick<Decision, 'status'>,
  { document }: Pick<Plan, 'document'>,
  now: Date,
): string | undefined {
  const at = new Date(now.getTime() + NEXT_CHECK_MS)
  return checkType === 'execution' && status !== 'denied' && at < new Date(document.flight.end) ? at.toISOString() : undefined
}

/** The finding for a late report (AdCP check_governance, "Delivery cadence": a missed deadline is a finding on the next delivery check). */
export function checkCadence(
  { phase }: Pick<GovernedAction, 'phase'>,
  expectedBy: string | undefined,
  now: Date,
): readonly Remark[] {
  if (phase !== 'delivery' || expectedBy === undefined || now.getTime() <= Date.parse(expectedBy)) return []
  const days = Math.round((now.getTime() - Date.parse(expectedBy)) / 8_640_000) / 10
  const details = { code: 'NEXT_CHECK_MISSED', expected_by: expectedBy }
  return [note('delivery', 'warning', `delivery was to be reported by ${expectedBy}, ${days} days ago`, { details })]
}
