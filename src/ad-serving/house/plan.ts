import { billedKind, impressionsPerUnit } from './billing.ts'
import type { AssignedCreative, ServableLine, Size } from './line.ts'
import { PRIORITIES } from './line.ts'
import { allowanceOf } from './pacing.ts'
import type { Progress } from './progress.ts'
import { compileTargeting, type Matches } from './targeting.ts'

/** What kind of place asks: a box of a page that takes certain sizes, the page's own cards, or a video player. */
export type PlaceKind = 'display' | 'native' | 'video'

/** A line that is ready for decisions: its targeting is compiled, its creatives are sorted by the place that they fit. */
export interface ReadyLine {
  readonly line: ServableLine
  readonly matches: Matches
  readonly perUnit: number
  /** Creatives by {@link fitKey}. */
  readonly fitting: ReadonlyMap<string, readonly AssignedCreative[]>
  /** Impressions that it may still take before the next plan. */
  allowance: number
  /** Order among lines of one priority; the lowest first. */
  rank: number
}

/** What a creative needs: a box of its size, a card, a player. */
export function fitKey(kind: PlaceKind, size?: Size): string {
  return kind === 'display' ? (size ? `${size.width}x${size.height}` : 'any') : kind
}

export function readyLine(line: ServableLine): ReadyLine {
  const fitting = new Map<string, AssignedCreative[]>()
  for (const creative of line.creatives) {
    const key = keyOf(creative)
    fitting.set(key, [...(fitting.get(key) ?? []), creative])
  }
  const { targeting, timeZone, pricing } = line.terms
  return {
    line,
    matches: targeting ? compileTargeting(targeting, timeZone) : () => true,
    perUnit: impressionsPerUnit(pricing.model),
    fitting,
    allowance: 0,
    rank: 0,
  }
}

function keyOf({ terms: { content, size } }: AssignedCreative): string {
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

/**
 * Orders the lines of a place for the next moments: guaranteed ones by urgency, then others by what an impression is expected to bring, then the publisher's
 * own. Lines that have no allowance or no creative are left out.
 */
export function planPlace(lines: readonly ReadyLine[], progress: Progress, now: number): PlacePlan {
  const due: ReadyLine[] = []
  for (const ready of lines) {
    const { terms, lineId } = ready.line
    const { impressions, urgency } = allowanceOf(terms, progress.of(lineId), ready.perUnit, now)
    ready.allowance = impressions
    ready.rank = terms.priority === 'standard' ? -expectedMicros(ready) : urgency
    if (impressions > 0) due.push(ready)
  }
  return due.sort(
    (a, b) => PRIORITIES.indexOf(a.line.terms.priority) - PRIORITIES.indexOf(b.line.terms.priority) || a.rank - b.rank,
  )
}

/** Micros that a thousand impressions are expected to bring. */
function expectedMicros({ line: { terms }, perUnit }: ReadyLine): number {
  const kind = billedKind(terms.pricing.model)
  if (kind === undefined) return 0
  const perThousand = kind === 'impression' || kind === 'viewable' ? 1 : 1000
  return (terms.rateMicros * perThousand) / perUnit
}
