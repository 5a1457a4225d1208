import { unitsChargedMicros } from '../../domain/ad-serving/charged.ts'
import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { flatEarning } from '../../domain/ad-serving/flat-earning.ts'
import { HOUR_MS } from '../../domain/calendar/instant.ts'
import type { LocalCalendar } from '../../domain/calendar/local-time.ts'
import { type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import { billedKind } from './billing.ts'

/** Events of one kind and creative in one hour, at the price of the decision. */
export interface CountedHour {
  /** Start of the hour, ISO 8601 UTC. */
  readonly hour: string
  readonly creativeExternalId: string
  readonly kind: string
  readonly rateMicros: number
  readonly events: number
}

/** What charging a line needs to know of it. */
export interface ChargedLine {
  readonly lineExternalId: string
  readonly model: PricingModel
  /** The most that the line can cost, in micros: what is served beyond it is the publisher's. */
  readonly committedMicros: number
  readonly startsAt: string
  readonly endsAt: string
  /** When it, or its order, was ended before its flight was over. */
  readonly endedAt?: string | undefined
}

/** Counts of a report by kind of event. A view is half of the video. */
const COUNTED: Readonly<Record<string, keyof Metrics>> = {
  impression: 'impressions',
  viewable: 'viewableImpressions',
  click: 'clicks',
  midpoint: 'views',
  complete: 'completedViews',
}

/**
 * Delivery of a line by hour and creative, from what was counted, oldest first. Units are charged at the price of their decision, a flat rate evenly over
 * the days of the flight in `calendar`, that of the publisher, once something was shown: each hour has its part of its day, whether or not it showed something, until the line is ended. What is charged is cut to the
 * micro. Rows are differences of the whole, so that they add up.
 */
export function chargedHours(
  line: ChargedLine,
  hours: readonly CountedHour[],
  { now, calendar }: { readonly now: number; readonly calendar: LocalCalendar },
): DeliveryRow[] {
  const rows = new Map<string, DeliveryRow>()
  const isFlat = line.model === 'flat_rate'
  const dueAfter = isFlat ? flatRate(line, now, calendar) : byUnit(line)
  let charged = 0
  for (const counted of isFlat ? withSilentHours(hours, earnedUntil(line, now)) : hours) {
    const period = counted.hour.slice(0, 13)
    const key = `${period} ${counted.creativeExternalId}`
    const { lineExternalId } = line
    const row = rows.get(key) ?? { ...NOTHING, lineExternalId, creativeExternalId: counted.creativeExternalId, period }
    const column = COUNTED[counted.kind]
    const due = dueAfter(counted)
    const spendMicros = row.spendMicros + due - charged
    rows.set(key, { ...row, ...(column && { [column]: row[column] + counted.events }), spendMicros })
    charged = due
  }
  return [...rows.values()]
}

type DueAfter = (counted: CountedHour) => number

function byUnit({ model, committedMicros }: ChargedLine): DueAfter {
  const billed = billedKind(model)
  const units = new Map<number, number>()
  return ({ kind, rateMicros, events }) => {
    if (kind === billed) units.set(rateMicros, (units.get(rateMicros) ?? 0) + events)
    const raw = [...units].reduce((sum, [rate, count]) => sum + unitsChargedMicros(model, count, rate), 0)
    return Math.min(raw, committedMicros)
  }
}

/** Until when a flat rate is earned. */
function earnedUntil({ endsAt, endedAt = endsAt }: ChargedLine, now: number): number {
  return Math.min(now, Date.parse(endsAt), Date.parse(endedAt))
}

/** An hour in which a day ends, in time zones that are not whole hours from UTC, has no part of the day after it: that is in the hour which follows, or in the last one. */
function flatRate(line: ChargedLine, now: number, calendar: LocalCalendar): DueAfter {
  const { microsAt, endOfDay } = flatEarning({ ...line, priceMicros: line.committedMicros }, calendar)
  const until = earnedUntil(line, now)
  return ({ hour }) => {
    const at = Date.parse(hour)
    return microsAt(at + HOUR_MS >= until ? until : Math.min(at + HOUR_MS, endOfDay(at)))
  }
}

/** What was counted, and between and behind it hours of which nothing was, by the creative before them: until the hour in which the earning ends. */
function* withSilentHours(hours: readonly CountedHour[], until: number): Generator<CountedHour> {
  for (const [index, counted] of hours.entries()) {
    yield counted
    const next = hours[index + 1]
    const last = next ? Date.parse(next.hour) : until
    for (let at = Date.parse(counted.hour) + HOUR_MS; at < last; at += HOUR_MS)
      yield { ...counted, hour: new Date(at).toISOString(), kind: SILENT, events: 0 }
  }
}

/** The kind of hours in which nothing was counted. */
const SILENT = 'silent'
