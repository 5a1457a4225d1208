import type { CreativeContent, EventKind } from './line.ts'

/** How much of its video an ad has played at each of a player's events (VAST 4.2, 3.14). */
const PLAYED: { readonly [Kind in EventKind]?: number } = {
  start: 0,
  firstQuartile: 0.25,
  midpoint: 0.5,
  thirdQuartile: 0.75,
  complete: 1,
}

/** Milliseconds that an ad has to be in view to be viewable: one that plays a video, and another (MRC Viewable Ad Impression Measurement Guidelines, 2.0). */
const IN_VIEW_MS = { video: 2_000, display: 1_000 }

/** Clocks of servers differ. */
const CLOCKS_MS = 250

/** Lengths are declared to the second, clocks of servers differ, and players round. */
const ALLOWANCE_MS = 1_000

/**
 * The shortest spot that is sold, a bumper. A creative whose length nobody declared counts as that long. A length that its buyer alone declares counts as no longer than that: a long one would make every event
 * impossible, and the ad free.
 */
const SHORTEST_SPOT_MS = 6_000

/** Milliseconds that an ad surely plays; undefined when it plays nothing. */
export function playingTime(content: CreativeContent): number | undefined {
  if (content.kind !== 'vast' && content.kind !== 'video') return undefined
  const known = content.kind === 'video' && content.isAssumed ? undefined : content.durationMs
  if (known === undefined) return SHORTEST_SPOT_MS
  return content.isDeclared ? Math.min(known, SHORTEST_SPOT_MS) : known
}

/**
 * Whether an ad can have made an event by now: none is viewable before it was long enough in view, only what plays a video makes those of a player, and none before
 * its part of the video has been played since the decision. What else arrived, and when, says nothing: beacons are repeated, late and out of order.
 * @param playsMs as {@link playingTime} gives it
 * @param sinceMs since the decision
 */
export function couldHappen(kind: EventKind, playsMs: number | undefined, sinceMs: number): boolean {
  if (kind === 'viewable') return sinceMs + CLOCKS_MS >= (playsMs === undefined ? IN_VIEW_MS.display : IN_VIEW_MS.video)
  const played = PLAYED[kind]
  return played === undefined || (playsMs !== undefined && sinceMs + ALLOWANCE_MS >= played * playsMs)
}
