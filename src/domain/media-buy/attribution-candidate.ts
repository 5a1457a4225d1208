import type { ReportedEvent } from '../event/event.ts'
import type { EventType } from '../event/event-type.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import { servingWindows } from './delivery.ts'
import type { CreativeFact, MediaBuy, Package, Window } from './media-buy.ts'

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

/** A stretch of time, from its first moment to its last, Unix milliseconds. */
type Stretch = readonly [from: number, until: number]

/** A package that could have caused an event, as far as attribution looks at it: there may be thousands. */
export interface Candidate {
  readonly mediaBuyId: string
  readonly packageId: string
  readonly currency: string
  /** When it ran with an ad to show; in order, none within another. */
  readonly ran: readonly Stretch[]
  /** Its event goals by what they name ({@link goalKey}); undefined: it has none. */
  readonly goals: ReadonlyMap<string, EventSourceEntry> | undefined
  /** Types of events that count where it has no goals. */
  readonly counts: ReadonlySet<EventType>
  /** Its catalogs that the account has; undefined: none, it is about everything. */
  readonly catalogs?: readonly string[]
}

type Goal = Extract<NonNullable<Package['optimizationGoals']>[number], { kind: 'event' }>
export type EventSourceEntry = Goal['event_sources'][number]

/** A package as a candidate; undefined where it can have caused no event. */
export function candidateOf(buy: MediaBuy, pkg: Package, facts: readonly CreativeFact[]): Candidate | undefined {
  if (COUNTED_ELSEWHERE.has(pkg.pricing.model)) return undefined
  const ran = overlaps(stretchesOfTerms(buy, pkg), joined(servingWindows(pkg, facts)))
  if (ran.length === 0) return undefined
  const { mediaBuyId, currency } = buy
  return { mediaBuyId, packageId: pkg.packageId, currency, ran, goals: goalsOf(pkg), counts: countsOf(pkg) }
}

/** What a goal of a package names of an event. */
export function goalKey(source: string, { event_type: type, custom_event_name: name }: NamedEvent): string {
  return JSON.stringify([source, type, type === 'custom' ? name : undefined])
}

type NamedEvent = Pick<ReportedEvent, 'event_type' | 'custom_event_name'>

function goalsOf({ optimizationGoals = [] }: Package): Candidate['goals'] {
  const entries = optimizationGoals.filter((goal): goal is Goal => goal.kind === 'event').map((goal) => goal.event_sources)
  if (entries.length === 0) return undefined
  // Of several for one event the first holds: a map keeps the last.
  return new Map(
    entries
      .flat()
      .toReversed()
      .map((entry) => [goalKey(entry.event_source_id, entry), entry]),
  )
}

function countsOf({ catalogs = [] }: Package): ReadonlySet<EventType> {
  const declared = catalogs.flatMap(({ conversion_events = [] }) => conversion_events)
  return declared.length > 0 ? new Set(declared) : CONVERSIONS
}

/** When the versions of a package's terms were in force and let it run, in order. */
function stretchesOfTerms(buy: MediaBuy, { pastTerms, terms, cancellation }: Package): readonly Stretch[] {
  const versions = [...pastTerms, terms]
  const ends = [buy.cancellation, cancellation].map((end) => (end ? Date.parse(end.canceledAt) : Number.POSITIVE_INFINITY))
  return versions.flatMap(({ running, from, startsAt, endsAt }, index): Stretch[] => {
    const next = versions[index + 1]?.from
    const until = Math.min(Date.parse(endsAt), next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next), ...ends)
    return running ? [[Math.max(Date.parse(from), Date.parse(startsAt)), until]] : []
  })
}

/** Windows in order, those that overlap as one. */
function joined(windows: readonly Window[]): readonly Stretch[] {
  const stretches = windows.map(({ from, until }): Stretch => {
    return [Date.parse(from), until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)]
  })
  const apart: Stretch[] = []
  for (const [from, until] of stretches.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1)
    if (last && from <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], until)]
    else apart.push([from, until])
  }
  return apart
}

/** What stretches of two lists have in common; each list is in order. */
function overlaps(some: readonly Stretch[], others: readonly Stretch[]): readonly Stretch[] {
  const common: Stretch[] = []
  let [i, k] = [0, 0]
  for (;;) {
    const [a, b] = [some[i], others[k]]
    if (!a || !b) return common
    const [from, until] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])]
    if (from <= until) common.push([from, until])
    if (a[1] < b[1]) i += 1
    else k += 1
  }
}

/** The last moment up to `at` that is in one of some stretches, which are in order. */
export function lastTouch(ran: readonly Stretch[], at: number): number | undefined {
  const last = ran.findLast(([from]) => from <= at)
  return last && Math.min(at, last[1])
}
