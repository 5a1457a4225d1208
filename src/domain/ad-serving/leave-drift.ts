import type { Drift } from './drift.ts'
import type { Step } from './step.ts'

/** The steps without those that would repair drift which is left as it is. Values that drifted are no part of this: the order has them already. */
export function leaveDrift(steps: readonly Step[], left: readonly Drift[]): readonly Step[] {
  if (left.length === 0) return steps
  const has = (subject: string, field: string) => left.some((one) => one.subject === subject && one.field === field)
  if (has('order', 'missing')) return []
  return steps.filter((step) => {
    switch (step.kind) {
      case 'set_order_state':
        return step.duplicateId === undefined || !has('order', 'duplicates')
      case 'put_line':
        return !has(`line ${step.line.externalId}`, 'missing')
      case 'associate':
        return !has(`line ${step.line.externalId}`, 'missing') && !has(`line ${step.line.externalId}`, 'associations')
      case 'set_line_state': {
        const isDuplicate =
          step.line.id !== undefined && left.some((one) => one.field === 'duplicates' && includes(one.observed, step.line.id))
        return !isDuplicate && !has(`line ${step.line.externalId}`, 'missing')
      }
      default:
        return true
    }
  })
}

function includes(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value)
}
