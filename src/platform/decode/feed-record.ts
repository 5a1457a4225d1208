/** A record of a feed, in the feed's own vocabulary. */
export type FeedRecord = Readonly<Record<string, unknown>>

/** Whether a value is an object with members, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
