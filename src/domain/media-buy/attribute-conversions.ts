import type { Steps } from '../../platform/concurrency/steps.ts'
import { DAY_MS } from '../calendar/instant.ts'
import type { Conversion, ReportedEvent, StoredEvent } from '../event/event.ts'
import { MICROS_PER_UNIT } from '../money.ts'
import { type Candidate, type EventSourceEntry, goalKey, lastTouch } from './attribution-candidate.ts'

/** How long after a click and after a view an event is credited (AdCP core/attribution-window.json), by the last touch. */
export const ATTRIBUTION_WINDOW = { postClickDays: 30, postViewDays: 1, model: 'last_touch' } as const

/** Catalogs that hold items of the events at hand, by content id. */
export type Holding = ReadonlyMap<string, readonly string[]>

/** An event on its way into the store, with what only the request says of it. */
export interface IncomingEvent {
  readonly wire: ReportedEvent
  readonly stored: StoredEvent
  readonly eventSourceId: string
  readonly isClick: boolean
}

/** Candidates between two steps: some tenths of a millisecond. */
const CANDIDATES_OF_A_STEP = 2_048

/**
 * The conversion that each event is, in their order, or undefined: of a person whom the publisher knows, on the account's package that last showed something within the window. Of several that ran at the
 * moment those with a goal for the event come first, then those whose catalog it is about; `choose`, a number from 0 to below 1 for the key of an event, picks one of the rest.
 */
export function* attribute(
  events: readonly IncomingEvent[],
  candidates: readonly Candidate[],
  holding: Holding,
  choose: (eventKey: string) => number,
): Steps<readonly (Conversion | undefined)[]> {
  const conversions: (Conversion | undefined)[] = []
  let seen = 0
  for (const event of events) {
    const { matched, eventKey } = event.stored
    const asked = { event, key: goalKey(event.eventSourceId, event.wire), about: catalogsAbout(event, holding) }
    let best: Credit[] = []
    for (const candidate of matched ? candidates : []) {
      seen += 1
      if (seen % CANDIDATES_OF_A_STEP === 0) yield
      const credit = creditOf(asked, candidate)
      const order = credit && best[0] ? compare(credit, best[0]) : -1
      if (credit && order < 0) best = [credit]
      else if (credit && order === 0) best.push(credit)
    }
    const chosen = best.length > 1 ? best[Math.floor(choose(eventKey) * best.length)] : best[0]
    conversions.push(chosen && conversionOf(event, chosen, holding))
  }
  return conversions
}

interface Credit {
  readonly candidate: Candidate
  readonly touchedAt: number
  readonly goal: EventSourceEntry | undefined
  /** The event is about items of the package's catalogs. */
  readonly isAboutItems: boolean
}

/** Below zero where `a` goes before `b`. */
function compare(a: Credit, b: Credit): number {
  const rank = ({ goal, isAboutItems }: Credit) => (goal ? 0 : 2) + (isAboutItems ? 0 : 1)
  return b.touchedAt - a.touchedAt || rank(a) - rank(b)
}

function conversionOf(event: IncomingEvent, { candidate, goal }: Credit, holding: Holding): Conversion {
  const { stored, eventSourceId } = event
  const valueMicros = worthOf(event, goal, candidate.currency)
  const own = new Set(candidate.catalogs)
  const isOwn = (id: string) => (holding.get(id) ?? []).some((catalog) => own.has(catalog))
  return {
    mediaBuyId: candidate.mediaBuyId,
    packageId: candidate.packageId,
    eventType: stored.eventType,
    eventKey: stored.eventKey,
    eventSourceId,
    day: stored.eventTime.slice(0, 10),
    ...(valueMicros !== undefined && { valueMicros }),
    contentIds: candidate.catalogs ? stored.document.contentIds.filter(isOwn) : [],
  }
}

/** An event, with what candidates are held against. */
interface AskedEvent {
  readonly event: IncomingEvent
  /** What a goal names of it. */
  readonly key: string
  /** Catalogs that hold items that it is about. */
  readonly about: ReadonlySet<string>
}

function catalogsAbout({ stored }: IncomingEvent, holding: Holding): ReadonlySet<string> {
  return new Set(stored.document.contentIds.flatMap((id) => holding.get(id) ?? []))
}

function creditOf({ event, key, about }: AskedEvent, candidate: Candidate): Credit | undefined {
  const { stored, isClick } = event
  const goal = candidate.goals?.get(key)
  if (candidate.goals ? !goal : !candidate.counts.has(stored.eventType)) return undefined
  const at = Date.parse(stored.eventTime)
  const touchedAt = lastTouch(candidate.ran, at)
  const days = isClick ? ATTRIBUTION_WINDOW.postClickDays : ATTRIBUTION_WINDOW.postViewDays
  if (touchedAt === undefined || at - touchedAt > days * DAY_MS) return undefined
  const isAboutItems = candidate.catalogs?.some((catalog) => about.has(catalog)) ?? false
  // An event about other items than those of the package's catalogs was not caused by it.
  if (candidate.catalogs && stored.document.contentIds.length > 0 && !isAboutItems) return undefined
  return { candidate, touchedAt, goal, isAboutItems }
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
