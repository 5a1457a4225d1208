/**
 * Counts uses of buckets in windows of one length, each begun by its bucket's first use. Gives undefined, or the milliseconds to wait
 * when the limit is used up. `clock` gives milliseconds that never go back.
 */
export function fixedWindows(
  limit: number,
  windowMs: number,
  clock: () => number = () => performance.now(),
): (bucket: string) => number | undefined {
  const windows = new Map<string, { used: number; readonly endsAt: number }>()
  return (bucket) => {
    const now = clock()
    // All windows are equally long, so those that are over come first.
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) break
      windows.delete(key)
    }
    const window = windows.get(bucket) ?? { used: 0, endsAt: now + windowMs }
    if (window.used === 0) windows.set(bucket, window)
    window.used += 1
    return window.used > limit ? window.endsAt - now : undefined
  }
}
