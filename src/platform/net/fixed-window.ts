/** Counts uses of buckets; `state` reads a bucket without counting. */
export interface FixedWindows {
  (bucket: string): number | undefined
  state(bucket: string): { readonly remaining: number; readonly resetMs: number }
}

/**
 * Counts uses of buckets in windows of one length, each begun by its bucket's first use. Gives undefined, or the milliseconds to wait
 * when the limit is used up. `clock` gives milliseconds that never go back.
 */
export function fixedWindows(limit: number, windowMs: number, clock: () => number = () => performance.now()): FixedWindows {
  const windows = new Map<string, { used: number; readonly endsAt: number }>()
  const count = (bucket: string) => {
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
  const state = (bucket: string) => {
    const window = windows.get(bucket)
    const now = clock()
    if (!window || window.endsAt <= now) return { remaining: limit, resetMs: windowMs }
    return { remaining: Math.max(0, limit - window.used), resetMs: window.endsAt - now }
  }
  return Object.assign(count, { state })
}
