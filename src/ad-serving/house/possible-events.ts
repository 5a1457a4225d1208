import type { CreativeContent, EventKind } from './line.ts'

/** How much of its video an ad has played at each of a player's events (VAST 4.2, 3.14). */
const PLAYED: { readonly [Kind in EventKind]?: number } = {
  start: 0,
  firstQuartile: 0.25,
  midpoint: 0.5,
  thirdQuartile: 0.75,
  complete: 1,
}

/** Lengths are declared to the second, clocks of servers differ, and players round. */
const ALLOWANCE_MS = 1_000

/** Milliseconds that an ad plays: 0 when its length is not known, undefined when it plays nothing. */
export function playingTime(content: CreativeContent): number | undefined {
  if (content.kind === 'vast') return content.durationMs ?? 0
  if (content.kind === 'video') return content.isAssumed ? 0 : content.durationMs
  return undefined
}

/**
 * Whether an ad can have made an event by now: only what plays a video makes those of a player, and none before its part of the video has been played since the
 * decision. What else arrived, and when, says nothing: beacons are repeated, late and out of order.
 * @param playsMs as {@link playingTime} gives it
 * @param sinceMs since the decision
 */
export function couldHappen(kind: EventKind, playsMs: number | undefined, sinceMs: number): boolean {
  const played = PLAYED[kind]
  return played === undefined || (playsMs !== undefined && sinceMs + ALLOWANCE_MS >= played * playsMs)
}
