import type { Conversion } from '../event/event.ts'
import type { EventType } from '../event/event-type.ts'
import { type DayMetrics, type DayRange, type LineReport, NOTHING } from './delivery.ts'

/** The ad server's reports with the conversions that events were credited as; both add up by package and day. */
export function withConversions(reports: readonly LineReport[], conversions: readonly Conversion[]): LineReport[] {
  const ids = new Set([...reports, ...conversions].map(({ packageId }) => packageId))
  return [...ids].map((packageId) => ({
    packageId,
    days: [
      ...reports.filter((report) => report.packageId === packageId).flatMap(({ days }) => days),
      ...conversions.filter((conversion) => conversion.packageId === packageId).map(dayOf),
    ],
  }))
}

/** Conversions of one kind and source. */
export interface ConversionsByType {
  readonly eventType: EventType
  readonly eventSourceId: string
  readonly count: number
  readonly valueMicros: number
}

/** Sums conversions by event type and source, in order of their names. */
export function byEventType(conversions: readonly Conversion[]): ConversionsByType[] {
  const sums = new Map<string, ConversionsByType>()
  for (const { eventType, eventSourceId, valueMicros = 0 } of conversions) {
    const key = JSON.stringify([eventType, eventSourceId])
    const { count, valueMicros: value } = sums.get(key) ?? { count: 0, valueMicros: 0 }
    sums.set(key, { eventType, eventSourceId, count: count + 1, valueMicros: value + valueMicros })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/** Those of a range of days; an absent bound is open. */
export function conversionsIn(conversions: readonly Conversion[], { first, last }: DayRange): Conversion[] {
  return conversions.filter(({ day }) => (first === undefined || day >= first) && (last === undefined || day <= last))
}

function dayOf({ day, valueMicros = 0 }: Conversion): DayMetrics {
  return { ...NOTHING, day, conversions: 1, conversionValueMicros: valueMicros }
}
