import { instantOf } from './calendar/instant.ts'
import { type Bound, requireOrder } from './order.ts'

/** The times of AdCP core/creative-filters.json and core/tasks-list-request.json, RFC 3339. */
export interface WireFilterTimes {
  readonly created_after?: string
  readonly created_before?: string
  readonly updated_after?: string
  readonly updated_before?: string
}

/** The same as stores compare them: ISO 8601 UTC. */
export interface FilterTimes {
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
  readonly updatedAfter: string | undefined
  readonly updatedBefore: string | undefined
}

/** Throws INVALID_REQUEST naming the filter for a time that does not exist, and for an end before its start. */
export function filterTimes(filters: WireFilterTimes): FilterTimes {
  const [createdAfter, createdBefore] = between(filters, 'created_after', 'created_before')
  const [updatedAfter, updatedBefore] = between(filters, 'updated_after', 'updated_before')
  return { createdAfter, createdBefore, updatedAfter, updatedBefore }
}

function between(filters: WireFilterTimes, after: keyof WireFilterTimes, before: keyof WireFilterTimes) {
  const [start, end] = [instantBound(filters, after), instantBound(filters, before)]
  requireOrder(start, end)
  return [start.value, end.value]
}

function instantBound(filters: WireFilterTimes, name: keyof WireFilterTimes): Bound<string> {
  const field = `filters.${name}`
  const text = filters[name]
  return { value: text === undefined ? undefined : new Date(instantOf(text, field)).toISOString(), field }
}
