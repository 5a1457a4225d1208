import type { MatchPublisher } from '../../features/trusted-match/publishers.ts'
import { fixedWindows } from '../../platform/net/fixed-window.ts'

/**
 * Whether a publisher has used up its requests of a second, for one path; counts one request. `clock` gives milliseconds that never go back.
 */
export function publisherLimits(
  publishers: readonly MatchPublisher[],
  clock?: () => number,
): (publisher: MatchPublisher) => boolean {
  const limits = new Map(
    publishers.flatMap(({ id, maximumPerSecond: most }) =>
      most === undefined ? [] : [[id, fixedWindows(most, 1_000, clock)] as const],
    ),
  )
  return ({ id }) => limits.get(id)?.(id) !== undefined
}
