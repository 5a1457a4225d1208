import type { EventType } from '../event/event-type.ts'
import { addMetrics, type DayMetrics, type DayRange, inRange, type LineReport, NOTHING } from './delivery.ts'

/** Conversions of one kind and source. */
export interface ConversionsByType {
  readonly eventType: EventType
  readonly eventSourceId: string
  readonly count: number
  readonly valueMicros: number
}

/** Conversions of one package on one UTC day, `YYYY-MM-DD`, of one kind and source. */
export interface ConversionSum extends ConversionsByType {
  readonly packageId: string
  readonly day: string
}

/** What the conversions of a media buy come to. */
export interface ConversionTotals {
  /** By package and day. */
  readonly lines: readonly LineReport[]
  /** Those of the days of the report by package, in order of kinds and sources. */
  readonly types: ReadonlyMap<string, readonly ConversionsByType[]>
}

/** Adds up the conversions of a media buy, whose report is about a range of days. */
export class ConversionCount {
  readonly #range: DayRange
  readonly #days = new Map<string, Map<string, DayMetrics>>()
  readonly #types = new Map<string, TypeSums>()

  constructor(range: DayRange = {}) {
    this.#range = range
  }

  add({ packageId, day, ...sum }: ConversionSum): void {
    const days = memberOf(this.#days, packageId, () => new Map<string, DayMetrics>())
    const counted = { ...NOTHING, conversions: sum.count, conversionValueMicros: sum.valueMicros }
    days.set(day, { ...addMetrics(days.get(day) ?? NOTHING, counted), day })
    if (inRange(day, this.#range))
      addType(
        memberOf(this.#types, packageId, () => new Map<string, ConversionsByType>()),
        sum,
      )
  }

  totals(): ConversionTotals {
    return {
      lines: [...this.#days].map(([packageId, days]) => ({ packageId, days: [...days.values()] })),
      types: new Map([...this.#types].map(([packageId, sums]) => [packageId, ordered(sums)])),
    }
  }
}

/** Conversions of several packages by kind and source, in order of their names. */
export function byEventType(packages: Iterable<readonly ConversionsByType[]>): readonly ConversionsByType[] {
  const sums: TypeSums = new Map()
  for (const types of packages) for (const sum of types) addType(sums, sum)
  return ordered(sums)
}

/** The ad server's reports with the conversions that events were credited as; both add up by package and day. */
export function withConversions(reports: readonly LineReport[], conversions: readonly LineReport[]): LineReport[] {
  const lines = new Map<string, DayMetrics[]>()
  for (const given of [reports, conversions])
    for (const { packageId, days } of given) {
      const known = memberOf(lines, packageId, () => [])
      for (const day of days) known.push(day)
    }
  return [...lines].map(([packageId, days]) => ({ packageId, days }))
}

type TypeSums = Map<string, ConversionsByType>

function addType(sums: TypeSums, { eventType, eventSourceId, count, valueMicros }: ConversionsByType): void {
  const key = JSON.stringify([eventType, eventSourceId])
  const sum = sums.get(key) ?? { count: 0, valueMicros: 0 }
  sums.set(key, { eventType, eventSourceId, count: sum.count + count, valueMicros: sum.valueMicros + valueMicros })
}

function ordered(sums: TypeSums): readonly ConversionsByType[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

function memberOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
