import { type DayMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { DAY_MS } from '../../domain/media-buy/flight.ts'
import { commitmentMicros } from '../../domain/media-buy/pricing.ts'
import { minorUnitMicros, mulDiv } from '../../domain/money.ts'
import type { BookedLine } from '../ad-server.ts'
import { billedKind } from './billing.ts'

/** Events of one kind in one hour, at the price of the decision. */
export interface CountedHour {
  /** Start of the hour, ISO 8601 UTC. */
  readonly hour: string
  readonly kind: string
  readonly rateMicros: number
  readonly events: number
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
 * Delivery of a line by UTC day from its counted hours, oldest first. Events are charged at the price of their decision, up to what the order commits to:
 * what is served beyond it is the publisher's. Charges are whole minor units of the currency, and days are differences of the whole, so that they add up.
 */
export function deliveryByDay(line: BookedLine, hours: readonly CountedHour[], now: number): DayMetrics[] {
  const days = new Map<string, Metrics>()
  const charge = charges(line)
  let spent = 0
  for (const { hour, kind, rateMicros, events } of hours) {
    const day = hour.slice(0, 10)
    const metrics = days.get(day) ?? NOTHING
    const column = COUNTED[kind]
    const total = charge.after({ kind, rateMicros, events })
    const counted = column === undefined ? metrics : { ...metrics, [column]: metrics[column] + events }
    days.set(day, { ...counted, spendMicros: metrics.spendMicros + total - spent })
    spent = total
  }
  if (billedKind(line.pricing.model) === undefined && hours.length > 0) addFlightPrice(line, days, now)
  return [...days].map(([day, metrics]) => ({ ...metrics, day })).sort((a, b) => (a.day < b.day ? -1 : 1))
}

/** What has been charged after each count, in the order of the counts. */
function charges(line: BookedLine) {
  const { model, currency } = line.pricing
  const kind = billedKind(model)
  const per = model === 'cpm' || model === 'vcpm' ? 1000 : 1
  const limit = limitMicros(line)
  const units = new Map<number, number>()
  return {
    after(count: Omit<CountedHour, 'hour'>): number {
      if (count.kind === kind) units.set(count.rateMicros, (units.get(count.rateMicros) ?? 0) + count.events)
      const raw = [...units].reduce((sum, [rate, events]) => sum + mulDiv(events, rate, per), 0)
      const due = Math.min(raw, limit)
      return due - (due % minorUnitMicros(currency))
    },
  }
}

/** The most that any version of the order commits to, less what was delivered elsewhere on the same budget. */
function limitMicros({ pricing, terms, recorded }: BookedLine): number {
  const elsewhere = recorded.reduce((sum, { spendMicros }) => sum + spendMicros, 0)
  return Math.max(0, Math.max(0, ...terms.map((version) => commitmentMicros(pricing, version))) - elsewhere)
}

/** A price for the flight is due evenly over it, once something was shown. */
function addFlightPrice(line: BookedLine, days: Map<string, Metrics>, now: number): void {
  const terms = line.terms.at(-1)
  if (!terms) return
  const [start, end] = [Date.parse(terms.startsAt), Date.parse(terms.endsAt)]
  const until = Math.min(now, end)
  const minor = minorUnitMicros(line.pricing.currency)
  const dueAt = (at: number) => {
    const due = mulDiv(limitMicros(line), Math.max(0, Math.min(at, until) - start), end - start)
    return due - (due % minor)
  }
  for (let day = Math.floor(start / DAY_MS); day * DAY_MS < until; day++) {
    const name = new Date(day * DAY_MS).toISOString().slice(0, 10)
    const metrics = days.get(name) ?? NOTHING
    days.set(name, { ...metrics, spendMicros: metrics.spendMicros + dueAt((day + 1) * DAY_MS) - dueAt(day * DAY_MS) })
  }
}
