import { type PlaceKind, sizeOfText } from '../../domain/ad-serving/place-tag.ts'
import { localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import type { Slot } from './decide.ts'
import { capsOfDirectLine, type DirectTargeting, lineTargetingOf } from './direct-targeting.ts'
import type { Cap, LineTerms, Size } from './line.ts'
import { compileTargeting, type Matches } from './targeting.ts'
import type { Visitor } from './visitor.ts'

export const PLACE_STATUSES = ['active', 'paused'] as const

/** A place of the publisher's pages as people set it up, with its members as the admin API has them. */
export interface Placement {
  readonly placement_id: string
  readonly name: string
  readonly kind: PlaceKind
  /** Of a display place, such as `300x250`; empty: whatever the page says. */
  readonly sizes: readonly string[]
  readonly status: (typeof PLACE_STATUSES)[number]
  /** Impressions that it has in a day; null: nobody said. */
  readonly daily_capacity: number | null
  /** First and last day on which it shows ads, in the publisher's time zone; null: open. */
  readonly available_from: string | null
  readonly available_until: string | null
  /** The visits on which it shows ads; its frequency cap limits how often a visitor sees one line here. */
  readonly targeting: DirectTargeting
}

/** A placement as it is stored: its days and hours are those of `timeZone`. */
export interface PlacementDocument {
  readonly placement: Placement
  /** IANA name. */
  readonly timeZone: string
}

/** What decisions keep to in a place. */
export interface PlaceRules {
  readonly kind: PlaceKind
  /** Absent: every size. */
  readonly sizes?: readonly Size[]
  /** Milliseconds: ads are shown from the first and before the second. Never for a paused place. */
  readonly opensAt: number
  readonly closesAt: number
  readonly matches: Matches
  /** Limits of each line for one visitor, beside its own. */
  readonly caps: readonly Cap[]
  /** In lower case: lines that have one of these labels are not shown. */
  readonly labels: ReadonlySet<string>
}

/** What decisions keep to in a placement. */
export function placeRules({ placement, timeZone }: PlacementDocument): PlaceRules {
  const { kind, sizes, status, available_from: first, available_until: last, targeting } = placement
  const calendar = localCalendar(timeZone)
  const opensAt = first === null ? 0 : calendar.startOf(first).getTime()
  const closesAt = last === null ? Number.POSITIVE_INFINITY : calendar.startOf(nextDay(last)).getTime()
  return {
    kind,
    ...(sizes.length > 0 && { sizes: sizes.map(sizeOfText) }),
    opensAt,
    closesAt: status === 'paused' ? 0 : closesAt,
    matches: compileTargeting(lineTargetingOf(targeting), timeZone),
    caps: capsOfDirectLine(targeting),
    labels: new Set(targeting.labels?.map((label) => label.toLowerCase())),
  }
}

/** Whether a place shows ads of this kind to a visitor at a moment (milliseconds). */
export function isOpen(rules: PlaceRules, { kind }: Pick<Slot, 'kind'>, visitor: Visitor, now: number): boolean {
  return kind === rules.kind && now >= rules.opensAt && now < rules.closesAt && rules.matches(visitor, now)
}

/** Sizes that an ad may have: those that the page asks for and the place has. A page that says none takes all of the place. */
export function sizesAt({ sizes }: Pick<Slot, 'sizes'>, rules: PlaceRules | undefined): readonly Size[] {
  const own = rules?.sizes
  if (own === undefined) return sizes
  if (sizes.length === 0) return own
  return sizes.filter(({ width, height }) => own.some((each) => each.width === width && each.height === height))
}

/** The limits of a line for one visitor in a place: its own, and those of the place. */
export function capsAt({ caps = NONE }: Pick<LineTerms, 'caps'>, rules: PlaceRules | undefined): readonly Cap[] {
  if (rules === undefined || rules.caps.length === 0) return caps
  return caps.length === 0 ? rules.caps : [...caps, ...rules.caps]
}

const NONE: readonly Cap[] = []
