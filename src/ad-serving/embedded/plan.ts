import { unitsPerPrice } from '../../domain/ad-serving/charged.ts'
import type { PlaceKind } from '../../domain/ad-serving/place-tag.ts'
import { billedKind, impressionsPerUnit } from './billing.ts'
import type { AssignedCreative, CreativeTerms, ServableLine, Size } from './line.ts'
import { PRIORITIES } from './line.ts'
import { allowanceOf, type Pace, paceOf } from './pacing.ts'
import type { Progress } from './progress.ts'
import { compileTargeting, type Matches } from './targeting.ts'

export type { PlaceKind }

/** A line that is ready for decisions: its targeting is compiled, its creatives are sorted by the place that they fit. */
export interface ReadyLine {
  readonly line: ServableLine
  readonly matches: Matches
  readonly perUnit: number
  readonly pace: Pace
  /** Micros that a thousand impressions are expected to bring. */
  readonly worthMicros: number
  /** Creatives by {@link fitKey}. */
  readonly fitting: ReadonlyMap<string, readonly AssignedCreative[]>
  /** In lower case: of the orders whose lines share a label, a page shows one alone. */
  readonly labels: readonly string[]
  /** Impressions that it may still take before the next plan. */
  allowance: number
  /** Delivered against what is due, for the order among lines of one priority; the lowest first. */
  rank: number
}

/** What a creative needs: a box of its size, a card, a player. */
export function fitKey(kind: PlaceKind, size?: Size): string {
  return kind === 'display' ? (size ? `${size.width}x${size.height}` : 'any') : kind
}

export function readyLine(line: ServableLine): ReadyLine {
  const fitting = new Map<string, AssignedCreative[]>()
  for (const creative of line.creatives) {
    const key = creativeFitKey(creative.terms)
    fitting.set(key, [...(fitting.get(key) ?? []), creative])
  }
  const { targeting, timeZone, pricing } = line.terms
  const tests = [...(targeting ? [compileTargeting(targeting, timeZone)] : []), ...(line.listTests ?? [])]
  const perUnit = impressionsPerUnit(pricing.model)
  return {
    line,
    matches: (visitor, now) => tests.every((test) => test(visitor, now)),
    perUnit,
    pace: paceOf(line.terms),
    worthMicros: worthMicros(line, perUnit),
    fitting,
    labels: (targeting?.labels ?? []).map((label) => label.toLowerCase()),
    allowance: 0,
    rank: 0,
  }
}

/** {@link fitKey} of the places that a creative can be shown in. */
export function creativeFitKey({ content, size }: Pick<CreativeTerms, 'content' | 'size'>): string {
  switch (content.kind) {
    case 'native':
      return fitKey('native')
    case 'video':
    case 'vast':
      return fitKey('video')
    default:
      return fitKey('display', size)
  }
}

/** Lines of a place that may serve now, in the order in which they are tried. */
export type PlacePlan = readonly ReadyLine[]

/** Orders lines by what does not change as they deliver: priority, then what an impression of a line without a guarantee is expected to bring. */
export function inFixedOrder(lines: readonly ReadyLine[]): readonly ReadyLine[] {
  return lines.toSorted((a, b) => priorityOf(a) - priorityOf(b) || (isByWorth(a) ? b.worthMicros - a.worthMicros : 0))
}

/**
 * Lines of a place for the next moments: guaranteed ones by urgency, then others by what an impression is expected to bring, then the publisher's
 * own by urgency. Lines that have no allowance are left out. `lines`: {@link inFixedOrder}.
 */
export function planPlace(lines: readonly ReadyLine[], progress: Progress, now: number): PlacePlan {
  const due: ReadyLine[] = []
  let from = 0
  for (const ready of lines) {
    const first = due[from]
    if (first && priorityOf(first) !== priorityOf(ready)) from = sortFrom(due, from)
    const { terms, lineId } = ready.line
    const { impressions, urgency } = allowanceOf(ready.pace, terms, progress.of(lineId), ready.perUnit, now)
    ready.allowance = Math.min(impressions, roomToday(ready, progress))
    ready.rank = urgency
    if (ready.allowance > 0) due.push(ready)
  }
  sortFrom(due, from)
  return due
}

/** Impressions that what is left of the limits of the day pays for; Infinity without one. What is decided and not shown yet is taken as shown. */
function roomToday(ready: ReadyLine, progress: Progress): number {
  const { terms, lineId, order = lineId } = ready.line
  if (!terms.dailyCap) return Number.POSITIVE_INFINITY
  const { ownMicros = Number.POSITIVE_INFINITY, sharedMicros = Number.POSITIVE_INFINITY } = terms.dailyCap
  const costs = progress.costsOf(lineId, order)
  const perImpression = ready.worthMicros / 1000
  const pending = progress.of(lineId).pending * perImpression
  const left = Math.min(ownMicros - costs.line - pending, sharedMicros - costs.order)
  // Of a click or a view that is paid by itself, the last is shown for as long as one is left; a limit smaller than the price of one unit buys none.
  if (left < unitMicros(ready)) return 0
  return Math.floor(left / perImpression)
}

/** What one billed unit costs, in micros. */
export function unitMicros({ line: { terms } }: Pick<ReadyLine, 'line'>): number {
  return terms.rateMicros / unitsPerPrice(terms.pricing.model)
}

/** Sorts the lines of one priority, which begin at `from`, and gives where the next begin. */
function sortFrom(due: ReadyLine[], from: number): number {
  const first = due[from]
  if (first && !isByWorth(first)) {
    const sorted = due.splice(from).sort((a, b) => a.rank - b.rank)
    for (const each of sorted) due.push(each)
  }
  return due.length
}

function isByWorth({ line: { terms } }: ReadyLine): boolean {
  return terms.priority === 'standard'
}

function priorityOf({ line: { terms } }: ReadyLine): number {
  return PRIORITIES.indexOf(terms.priority)
}

function worthMicros({ terms }: ServableLine, perUnit: number): number {
  const kind = billedKind(terms.pricing.model)
  if (kind === undefined) return 0
  const perThousand = kind === 'impression' || kind === 'viewable' ? 1 : 1000
  return (terms.rateMicros * perThousand) / perUnit
}
