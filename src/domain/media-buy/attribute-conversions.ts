import { DAY_MS } from '../calendar/instant.ts'
import type { Conversion, ReportedEvent, StoredEvent } from '../event/event.ts'
import type { EventType } from '../event/event-type.ts'
import { MICROS_PER_UNIT } from '../money.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import { servingWindows } from './delivery.ts'
import type { CreativeFact, MediaBuy, Package } from './media-buy.ts'

/** How long after a click and after a view an event is credited (AdCP core/attribution-window.json), by the last touch. */
export const ATTRIBUTION_WINDOW = { postClickDays: 30, postViewDays: 1, model: 'last_touch' } as const

/** What counts as a conversion where neither a goal nor a catalog says so: something that the advertiser paid for. */
const CONVERSIONS: ReadonlySet<EventType> = new Set<EventType>([
  'purchase',
  'lead',
  'qualify_lead',
  'close_convert_lead',
  'complete_registration',
  'subscribe',
  'start_trial',
  'app_install',
  'contact',
  'schedule',
  'donate',
  'submit_application',
])

/** Packages that are paid by the action get theirs from the ad server's report. */
const COUNTED_ELSEWHERE: ReadonlySet<PricingModel> = new Set<PricingModel>(['cpa'])

/** A package that could have caused an event. */
export interface Candidate {
  readonly buy: MediaBuy
  readonly pkg: Package
  readonly facts: readonly CreativeFact[]
  /** Content ids of the events at hand that are items of the package's catalogs; undefined when the package has none. */
  readonly catalogItems?: ReadonlySet<string>
}

/** An event on its way into the store, with what only the request says of it. */
export interface IncomingEvent {
  readonly wire: ReportedEvent
  readonly stored: StoredEvent
  readonly eventSourceId: string
  readonly isClick: boolean
}

interface Credit {
  readonly candidate: Candidate
  readonly touchedAt: number
  readonly goal: EventSourceEntry | undefined
  readonly contentIds: readonly string[]
}

type Goal = Extract<NonNullable<Package['optimizationGoals']>[number], { kind: 'event' }>
type EventSourceEntry = Goal['event_sources'][number]

/**
 * The conversion that an event is, or undefined: of a person whom the publisher knows, on the account's package that last showed something within the window. Of several
 * that ran at the moment the one with a goal for the event wins, then the one whose catalog it is about; `tiebreak` orders the rest.
 */
export function attribute(
  event: IncomingEvent,
  candidates: readonly Candidate[],
  tiebreak: (packageId: string, eventKey: string) => string,
): Conversion | undefined {
  const { stored } = event
  if (!stored.matched) return undefined
  const credits = candidates.flatMap((candidate) => creditOf(event, candidate) ?? [])
  const rank = (credit: Credit) => [
    -credit.touchedAt,
    credit.goal ? 0 : 1,
    credit.contentIds.length > 0 ? 0 : 1,
    tiebreak(credit.candidate.pkg.packageId, stored.eventKey),
  ]
  const [best] = credits.map((credit) => ({ credit, rank: rank(credit) })).sort((a, b) => compare(a.rank, b.rank))
  if (!best) return undefined
  const { candidate, goal, contentIds } = best.credit
  const valueMicros = worthOf(event, goal, candidate.buy.currency)
  return {
    mediaBuyId: candidate.buy.mediaBuyId,
    packageId: candidate.pkg.packageId,
    eventType: stored.eventType,
    eventKey: stored.eventKey,
    eventSourceId: event.eventSourceId,
    day: stored.eventTime.slice(0, 10),
    ...(valueMicros !== undefined && { valueMicros }),
    contentIds,
  }
}

function creditOf(event: IncomingEvent, candidate: Candidate): Credit | undefined {
  const { pkg, catalogItems } = candidate
  if (COUNTED_ELSEWHERE.has(pkg.pricing.model)) return undefined
  const entry = goalFor(event, pkg)
  if (entry === 'other') return undefined
  const goal = entry === 'none' ? undefined : entry
  if (!goal && !isConversion(event.stored.eventType, pkg)) return undefined
  const about = event.stored.document.contentIds
  const contentIds = catalogItems ? about.filter((id) => catalogItems.has(id)) : []
  // An event about other items than those of the package's catalogs was not caused by it.
  if (catalogItems && about.length > 0 && contentIds.length === 0) return undefined
  const at = Date.parse(event.stored.eventTime)
  const touchedAt = lastTouch(candidate, at)
  const days = event.isClick ? ATTRIBUTION_WINDOW.postClickDays : ATTRIBUTION_WINDOW.postViewDays
  return touchedAt === undefined || at - touchedAt > days * DAY_MS ? undefined : { candidate, touchedAt, goal, contentIds }
}

/** The entry of the package's event goals that names the event; `other` when there are goals and none does. */
function goalFor(
  { wire, eventSourceId }: IncomingEvent,
  { optimizationGoals = [] }: Package,
): EventSourceEntry | 'other' | 'none' {
  const goals = optimizationGoals.filter((goal): goal is Goal => goal.kind === 'event')
  if (goals.length === 0) return 'none'
  const entry = goals
    .flatMap((goal) => goal.event_sources)
    .find(
      (source) =>
        source.event_source_id === eventSourceId &&
        source.event_type === wire.event_type &&
        (source.event_type !== 'custom' || source.custom_event_name === wire.custom_event_name),
    )
  return entry ?? 'other'
}

function isConversion(eventType: EventType, { catalogs = [] }: Package): boolean {
  const declared = catalogs.flatMap(({ conversion_events = [] }) => conversion_events)
  return declared.length > 0 ? declared.includes(eventType) : CONVERSIONS.has(eventType)
}

/** The last moment up to `at` at which a package ran with an ad to show. */
function lastTouch({ buy, pkg, facts }: Candidate, at: number): number | undefined {
  const versions = [...pkg.pastTerms, pkg.terms]
  const ended = Math.min(...[buy.cancellation, pkg.cancellation].map((end) => (end ? Date.parse(end.canceledAt) : at)))
  const touches = versions.flatMap((terms, index) => {
    if (!terms.running) return []
    const from = Math.max(Date.parse(terms.from), Date.parse(terms.startsAt))
    const next = versions[index + 1]
    const until = Math.min(at, ended, Date.parse(terms.endsAt), next ? Date.parse(next.from) : at)
    return servingWindows(pkg, facts).flatMap((window) => {
      const end = Math.min(until, window.until === undefined ? until : Date.parse(window.until))
      return end >= Math.max(from, Date.parse(window.from)) ? [end] : []
    })
  })
  return touches.length > 0 ? Math.max(...touches) : undefined
}

/** What the event is worth in the buy's currency: the field and the factor of the goal (core/optimization-goal.json), else `value`. */
function worthOf({ wire }: IncomingEvent, goal: EventSourceEntry | undefined, currency: string): number | undefined {
  const data = wire.custom_data
  if (!data || data.currency !== currency) return undefined
  const fields: Readonly<Record<string, unknown>> = { ...data }
  const amount = fields[goal?.value_field ?? 'value']
  if (typeof amount !== 'number' || !Number.isFinite(amount)) return undefined
  const micros = Math.round(amount * MICROS_PER_UNIT * (goal?.value_factor ?? 1))
  return Number.isSafeInteger(micros) ? micros : undefined
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? left
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
