/** What a server looked like after one interval of load. */
export interface Sample {
  /** Minutes since the start of the run. */
  readonly minute: number
  readonly rssMb: number
  /** Open file descriptors. */
  readonly handles: number
  readonly p99Ms: number
}

/** How one figure moved over a run. */
export interface Trend {
  readonly name: string
  readonly unit: string
  /** Of the least-squares line, a minute. */
  readonly slope: number
  /** Of that line from the first sample looked at to the last. */
  readonly rise: number
  /** What the line may rise at most and still be called flat. */
  readonly bound: number
  readonly flat: boolean
}

/** The beginning is left out: caches fill and code is compiled. */
const WARM_UP_SHARE = 0.2

/** Bounds of the rise as a share of the median, and what is too little to matter at all. */
const FIGURES = [
  { name: 'memory', unit: 'MB', of: 'rssMb', share: 0.1, least: 5 },
  { name: 'handles', unit: 'handles', of: 'handles', share: 0.05, least: 4 },
  { name: 'p99', unit: 'ms', of: 'p99Ms', share: 0.25, least: 1 },
] as const

/** Trends of memory, handles and p99. Needs three samples after the warm-up. */
export function trendsOf(samples: readonly Sample[]): Trend[] {
  const looked = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  if (looked.length < 3) throw new Error('too few samples: let it run longer')
  const minutes = looked.map(({ minute }) => minute)
  return FIGURES.map(({ name, unit, of, share, least }) => {
    const values = looked.map((sample) => sample[of])
    const slope = slopeOf(minutes, values)
    const rise = slope * (Math.max(...minutes) - Math.min(...minutes))
    const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
    const bound = Math.max(least, share * middle)
    return { name, unit, slope, rise, bound, flat: rise <= bound }
  })
}

/** Slope of the least-squares line. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(xs), mean(ys)]
  const covariance = xs.reduce((sum, value, n) => sum + (value - x) * ((ys[n] ?? y) - y), 0)
  return covariance / xs.reduce((sum, value) => sum + (value - x) ** 2, 0)
}
