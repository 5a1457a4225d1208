import { groupBy } from '../../src/domain/group-by.ts'
import { MAX_MEMBERS } from '../../src/platform/decode/parse-json.ts'
import { jsonOf } from '../../tools/fuzz/hostile-values.ts'
import type { Ask } from '../stalls/stall.ts'
import { PATTERNS, type Pattern } from './patterns.ts'
import { type Kind, limitIn, type Place } from './places.ts'

/** How much a door lets in, whatever its schema says. */
export interface DoorLimits {
  /** Bytes of what holds the value: a body, a form, the head of a request. */
  readonly bytes: number
  /** Items of a list, and members of a map. */
  readonly items: number
  /** JSON values of a body. */
  readonly values: number
  /** Characters of a text, by the name of what holds it. */
  readonly text: (name: string) => number
  /** Items of one list, where the server has a limit of its own for it. */
  readonly ofPath?: (path: string) => number | undefined
  /** Bytes of one place, where it can hold less than the rest. */
  readonly ofPlace?: (place: Place) => number | undefined
}

/** Where a server takes input: one tool in one release, one operation, one route, one form. */
export interface Door {
  readonly title: string
  readonly limits: DoorLimits
  readonly places: readonly Place[]
  /** The request with a value in a place. */
  readonly ask: (place: Place, value: unknown) => Ask
}

/** One pattern in one place, at sizes up to a bound. */
export interface Case {
  /** Says the same case again: door, place, pattern and bound. */
  readonly id: string
  readonly door: string
  readonly kind: Kind
  /** The largest of its sizes. */
  readonly bound: number
  /** Cases of one set are told apart by the door's common steps alone: {@link FEW} of them are tried, others with each seed. Undefined: each is tried. */
  readonly set: string | undefined
  readonly ask: (n: number) => Ask
}

/** Between the parts of a case's id. */
export const BETWEEN = ' · '

/** Door and place of a case, by its id. */
export function placeOf(id: string): string {
  return id.split(BETWEEN, 2).join(BETWEEN)
}

/** Patterns that are tried of a set of cases. */
export const FEW = 4
/** Below this, all patterns of a text or list are alike. */
const LEAST_BOUND = 32
/** Digits of a number, beyond which nothing reads on. */
const MOST_DIGITS = 200_000

/** So many doors that take a place of one name, of no schema, read it with the same lines: those of pages, headers and parameters. */
export const SHARED_BY = 8

/** Every case of all doors: each place with each pattern of its kind, up to its own bound, and up to what reaches its validator. */
export function casesOf(doors: readonly Door[]): Case[] {
  const places = doors.flatMap((door) => door.places.map((place) => ({ door, place })))
  const alike = groupBy(places, ({ door, place }) => sharedName(door, place))
  return places.flatMap(({ door, place }) => {
    const isRoutes = place.at === '' && (alike.get(sharedName(door, place))?.length ?? 0) >= SHARED_BY
    const isShared = isRoutes || 'enum' in place.schema || 'const' in place.schema
    return PATTERNS[place.kind].flatMap((pattern) => casesIn(door, place, pattern, isShared))
  })
}

/** Places of one part of the surface by which doors are alike. */
function sharedName({ title }: Door, { path, kind }: Place): string {
  return [title.split(' ', 1)[0], path, kind].join(BETWEEN)
}

function casesIn(door: Door, place: Place, pattern: Pattern, isShared: boolean): Case[] {
  const most = largest(door.limits, place, pattern)
  const own = Math.min(limitIn(place) ?? most, door.limits.ofPath?.(place.path) ?? most)
  const bounds = own < most && own >= LEAST_BOUND ? [own, most] : [most]
  const at = [door.title, place.path].join(BETWEEN)
  return bounds.map((bound) => ({
    id: [at, pattern.name, bound].join(BETWEEN),
    door: door.title,
    kind: place.kind,
    bound,
    // Beyond its own bound a value is refused by the validator as every other is.
    set: isShared || bound > own ? [at, place.kind, bound > own].join(BETWEEN) : undefined,
    ask: (n) => door.ask(place, pattern.fill(n, place)),
  }))
}

/** The most that gets past the door. A pattern whose smallest filling is too large for it is tried at 1. */
function largest({ items, values, text, ...limits }: DoorLimits, place: Place, pattern: Pattern): number {
  const bytes = limits.ofPlace?.(place) ?? limits.bytes
  if (place.kind === 'text') return Math.max(1, Math.min(Math.max(text(place.name), limitIn(place) ?? 0), bytes))
  if (place.kind === 'number') return Math.min(MOST_DIGITS, bytes)
  const [few, more] = [8, 16].map((n) => jsonOf(pattern.fill(n, place)))
  const grows = (of: (json: string) => number) => Math.max((of(more ?? '') - of(few ?? '')) / 8, 0.001)
  const byBytes = bytes / grows((json) => Buffer.byteLength(json))
  const byValues = values / grows((json) => json.match(/[,:[{]/g)?.length ?? 0)
  return rounded(Math.max(1, Math.floor(Math.min(items, place.kind === 'map' ? MAX_MEMBERS : items, byBytes, byValues))))
}

/** Down to two digits, so that a case keeps its name where an id of the server is a character longer. */
function rounded(n: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1)
  return Math.floor(n / unit) * unit
}
