import { sameValue } from '../same-value.ts'
import type { DesiredOrder } from './desired-order.ts'
import { type Drift, isAdoptable, isSameDrift, MISSING, ORDER, otherDrift, subjectOfLine, withDrift } from './drift.ts'
import type { ObservedOrder, OtherChange } from './observed-order.ts'
import type { Step } from './step.ts'

/** What is there, without the changes of members that are left as they are. */
export function withoutLeft(observed: ObservedOrder | undefined, left: readonly Drift[]): ObservedOrder | undefined {
  if (!observed || left.length === 0) return observed
  const without = <T extends { readonly others?: readonly OtherChange[] }>(subject: string, one: T): T => ({
    ...one,
    others: (one.others ?? []).filter(
      (other) => !otherDrift(subject, [other]).some((own) => left.some((each) => isSameDrift(each, own))),
    ),
  })
  return {
    ...without(ORDER, observed),
    lines: observed.lines.map((line) => (line.externalId === undefined ? line : without(subjectOfLine(line.externalId), line))),
  }
}

/** Whether a drift is left under a policy that does not heal: until the buyer has changed the same thing since. */
export function isLeft(drift: Drift, wanted: DesiredOrder): boolean {
  if (isAdoptable(drift)) return !sameValue(withDrift(wanted, [drift]), wanted)
  if (drift.field !== 'associations') return true
  const line = wanted.lines.find(({ externalId }) => subjectOfLine(externalId) === drift.subject)
  return sameValue(drift.expected, line?.associations)
}

/** The steps without those that would repair drift which is left as it is. Values that drifted are no part of this: the order has them already. */
export function leaveDrift(steps: readonly Step[], left: readonly Drift[]): readonly Step[] {
  if (left.length === 0) return steps
  const has = (subject: string, field: string) => left.some((one) => one.subject === subject && one.field === field)
  if (has(ORDER, MISSING)) return []
  return steps.filter((step) => {
    switch (step.kind) {
      case 'set_order_state':
        return step.duplicateId === undefined || !has(ORDER, 'duplicates')
      case 'put_line':
        return !has(subjectOfLine(step.line.externalId), MISSING)
      case 'associate':
        return !has(subjectOfLine(step.line.externalId), MISSING) && !has(subjectOfLine(step.line.externalId), 'associations')
      case 'set_line_state': {
        const isDuplicate =
          step.line.id !== undefined && left.some((one) => one.field === 'duplicates' && includes(one.observed, step.line.id))
        return !isDuplicate && !has(subjectOfLine(step.line.externalId), MISSING)
      }
      default:
        return true
    }
  })
}

function includes(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value)
}
