import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { Flight } from '../../domain/calendar/flight.ts'
import { type LifecycleFacts, statusOf } from '../../domain/media-buy/lifecycle.ts'
import type { ProgressPart } from '../../domain/media-buy/progress.ts'
import { type Shortfall, shortfall } from '../../domain/media-buy/shortfall.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import type { CountedLine } from '../../store/embedded/counted-lines.ts'
import type { EmbeddedOrderRow } from '../../store/embedded/orders.ts'
import { directRecordOf } from './direct-record.ts'
import { settingsOfStored } from './stored-direct-order.ts'
import type { LineDocument } from './stored-documents.ts'

/** Statuses of a direct order: those of a buyer's order, without the one of a refused approval. */
export const DIRECT_STATUSES = ['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'canceled'] as const
export type DirectStatus = (typeof DIRECT_STATUSES)[number]

/**
 * Status of a direct order as its flight, what its people decided, its creatives and the clock imply it. One that was ended after its flight is completed; one of whose `lines`
 * none has anything to show waits for creatives.
 */
export function statusOfDirectOrder(row: EmbeddedOrderRow, lines: readonly CountedLine[], now: Date): DirectStatus {
  const open = lines.filter(({ state }) => state !== 'ended')
  const supplied = open.length === 0 || open.some((line) => isSupplied(line, now))
  return statusOfFlight(settingsOfStored(row), row, { paused: row.state === 'paused', supplied }, now)
}

/** Status of a line of a direct order. */
export function statusOfDirectLine(line: CountedLine, order: EmbeddedOrderRow, now: Date): DirectStatus {
  if (line.state === 'ended') return 'canceled'
  const paused = order.state === 'paused' || line.state === 'paused'
  return statusOfFlight(settingsOfLine(line), order, { paused, supplied: isSupplied(line, now) }, now)
}

/** Whether a line has something to show, or has shown something in its flight: one that loses its creatives then stays what it is, as an order of a buyer does. */
function isSupplied(line: CountedLine, now: Date): boolean {
  return line.hasCreatives || (line.impressions > 0 && Date.parse(settingsOfLine(line).startsAt) <= now.getTime())
}

function settingsOfLine({ document }: CountedLine): LineSettings {
  const { settings }: LineDocument = JSON.parse(document)
  return settings
}

function statusOfFlight(
  { startsAt, endsAt }: Flight,
  order: EmbeddedOrderRow,
  { paused, supplied }: Pick<LifecycleFacts, 'paused' | 'supplied'>,
  now: Date,
): DirectStatus {
  const ended = endOfOrder(order)
  const facts = { startsAt, endsAt, paused, supplied, canceled: ended !== undefined && ended < endsAt }
  return directStatus(statusOf({ ...facts, rejected: false, confirmed: true }, now))
}

/** When people ended an order: nothing is done to it after that, so it is its last change. Undefined: they did not; '' when it was not recorded. */
function endOfOrder(row: EmbeddedOrderRow): string | undefined {
  return row.state === 'ended' ? (directRecordOf(row).history.at(-1)?.at ?? '') : undefined
}

function directStatus(status: MediaBuyStatus): DirectStatus {
  const known = DIRECT_STATUSES.find((each) => each === status)
  if (known === undefined) throw new Error(`a direct order cannot be ${status}`)
  return known
}

/** A line as a part of its order, weighed by its goal; undefined for one without a goal and one that people ended, which have no plan. */
export function partOfDirectLine({ document, state, impressions }: CountedLine, now: Date): ProgressPart | undefined {
  const { settings }: LineDocument = JSON.parse(document)
  const { startsAt, endsAt, pacing, goalImpressions: weight } = settings
  if (weight === null || state === 'ended') return undefined
  const delivered = impressions / weight
  // A flat price is earned by the day; of others, what is delivered of the goal is taken as earned.
  const recognized = settings.price.model === 'flat_rate' ? (impressions > 0 ? passedOf(settings, now) : 0) : delivered
  return { startsAt, endsAt, pacing, weight, delivered, recognized }
}

/** The share of a flight that has passed. */
function passedOf({ startsAt, endsAt }: { readonly startsAt: string; readonly endsAt: string }, now: Date): number {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  return Math.min(1, Math.max(0, (now.getTime() - start) / (end - start)))
}

/** By how much a line whose flight is over missed its goal; undefined: it did not, or has none that was sold: house ads are shown where nothing else is. */
export function shortfallOfDirectLine({ document, impressions }: CountedLine): Shortfall | undefined {
  const { settings, terms }: LineDocument = JSON.parse(document)
  return terms.priority === 'house' ? undefined : shortfall('impressions', settings.goalImpressions ?? 0, impressions)
}
