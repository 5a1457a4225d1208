import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type { DatedLimits } from './stored-documents.ts'

type Limit = 'ownMicros' | 'sharedMicros'

/**
 * The most that a UTC day (`YYYY-MM-DD`) may cost, in micros: the largest of the limits that were in force on it, since what was spent under a larger one stays spent; Infinity where one of
 * them was none.
 */
export function limitOn(limits: readonly DatedLimits[], day: string, of: Limit): number {
  const after = limits.findIndex(({ from }) => from.slice(0, 10) > day)
  const known = after < 0 ? limits : limits.slice(0, after)
  const begun = known.findLastIndex(({ from }) => from.slice(0, 10) < day)
  const inForce = known.slice(Math.max(0, begun))
  return inForce.length === 0
    ? Number.POSITIVE_INFINITY
    : Math.max(...inForce.map((each) => each[of] ?? Number.POSITIVE_INFINITY))
}

/**
 * Rows of delivery with no more spent on a day than its limit: what was shown beyond it is the publisher's. Rows are of lines with the same limit, and are charged in the order of their periods.
 */
export function withinDays(rows: readonly DeliveryRow[], limits: readonly DatedLimits[], of: Limit): DeliveryRow[] {
  const spent = new Map<string, number>()
  const charged = new Map(
    rows
      .toSorted((a, b) => (a.period < b.period ? -1 : a.period > b.period ? 1 : 0))
      .map((row) => {
        const day = row.period.slice(0, 10)
        const before = spent.get(day) ?? 0
        const spendMicros = Math.min(row.spendMicros, Math.max(0, limitOn(limits, day, of) - before))
        spent.set(day, before + spendMicros)
        return [row, spendMicros] as const
      }),
  )
  return rows.map((row) => ({ ...row, spendMicros: charged.get(row) ?? 0 }))
}
