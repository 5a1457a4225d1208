/** Two prices of one bucket differ by 2 % at most. */
const STEP = Math.log(1.02)

/** Prices of a thousand impressions with the impressions that they were paid for, in buckets: its size does not grow with the lines. */
export interface PriceHistory {
  lines: number
  impressions: number
  /** Impressions by bucket. */
  readonly buckets: Map<number, number>
}

export function emptyHistory(): PriceHistory {
  return { lines: 0, impressions: 0, buckets: new Map() }
}

/** Adds a line. `impressions`: what it delivered; one that delivered nothing counts as one impression. */
export function addPrice(history: PriceHistory, rateMicros: number, impressions: number): void {
  const bucket = Math.round(Math.log(rateMicros) / STEP)
  const weight = Math.max(1, impressions)
  history.lines += 1
  history.impressions += impressions
  history.buckets.set(bucket, (history.buckets.get(bucket) ?? 0) + weight)
}

/** Several histories as one. */
export function mergedHistory(histories: readonly PriceHistory[]): PriceHistory {
  const merged = emptyHistory()
  for (const { lines, impressions, buckets } of histories) {
    merged.lines += lines
    merged.impressions += impressions
    for (const [bucket, weight] of buckets) merged.buckets.set(bucket, (merged.buckets.get(bucket) ?? 0) + weight)
  }
  return merged
}

/** The price in micros below which a share of the impressions was sold, to whole cents; undefined when nothing was. */
export function priceAt({ buckets }: PriceHistory, share: number): number | undefined {
  const sorted = [...buckets].sort(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0)
  let passed = 0
  for (const [bucket, weight] of sorted) {
    passed += weight
    if (passed >= total * share) return Math.max(1, Math.round(Math.exp(bucket * STEP) / 10_000)) * 10_000
  }
  return undefined
}
