import type { FeedState } from './catalog.ts'
import type { UpdateFrequency } from './declared-catalog.ts'

/** How often a feed is fetched, in milliseconds; nothing that others serve is asked for more often than every quarter of an hour. */
const INTERVAL_MS: Readonly<Record<UpdateFrequency, number>> = {
  realtime: 15 * 60_000,
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 7 * 86_400_000,
}
const FIRST_RETRY_MS = 5 * 60_000

/** State of a feed after a good fetch. */
export function freshFeed(
  { etag, lastModified }: { readonly etag?: string; readonly lastModified?: string },
  frequency: UpdateFrequency | undefined,
  now: Date,
): FeedState {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(frequency && { nextFetchAt: after(now, INTERVAL_MS[frequency]) }),
    failures: 0,
  }
}

/** State of a feed after a fetch that failed: tried again soon, then ever later, at most as rarely as it is fetched anyway. */
export function failedFeed(feed: FeedState, frequency: UpdateFrequency | undefined, problem: string, now: Date): FeedState {
  const interval = INTERVAL_MS[frequency ?? 'daily']
  const failures = feed.failures + 1
  return {
    ...feed,
    failures,
    problem,
    nextFetchAt: after(now, Math.min(interval, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16))),
  }
}

/** State of a feed whose frequency changed. */
export function rescheduled(
  { nextFetchAt: _old, ...feed }: FeedState,
  frequency: UpdateFrequency | undefined,
  now: Date,
): FeedState {
  return { ...feed, ...(frequency && { nextFetchAt: after(now, INTERVAL_MS[frequency]) }) }
}

function after(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}
