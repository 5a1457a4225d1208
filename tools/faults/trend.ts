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
  readonly median: number
  /** Of the least-squares line, a minute. */
  readonly slope: number
  /** Half the width of the slope's 95 % confidence interval. */
  readonly confidence: number
  /** Of that line from the first sample looked at to the last, and how far it may be off at 95 %. */
  readonly rise: number
  readonly riseConfidence: number
  /** What the line may rise at most and still be called flat. */
  readonly bound: number
  /** The rise is within the bound. */
  readonly flat: boolean
  /** The whole interval lies on that side of the bound: another run would say the same. */
  readonly certain: boolean
}

/** The beginning is left out: caches fill and code is compiled. */
export const WARM_UP_SHARE = 0.2

/** Bounds of the rise as a share of the median, and what is too little to matter at all. */
const FIGURES = [
  { name: 'memory', unit: 'MB', of: 'rssMb', share: 0.1, least: 5 },
  { name: 'handles', unit: 'handles', of: 'handles', share: 0.05, least: 4 },
  { name: 'p99', unit: 'ms', of: 'p99Ms', share: 0.25, least: 1 },
] as const

/** Samples of one interval waver together with what else the machine does; 1.96 is the normal quantile of 95 %. */
const QUANTILE = 1.96

/** Trends of memory, handles and p99. Needs three samples after the warm-up. */
export function trendsOf(samples: readonly Sample[]): Trend[] {
  const looked = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  if (looked.length < 3) throw new Error('too few samples: let it run longer')
  const minutes = looked.map(({ minute }) => minute)
  const span = Math.max(...minutes) - Math.min(...minutes)
  return FIGURES.map(({ name, unit, of, share, least }) => {
    const values = looked.map((sample) => sample[of])
    const { slope, standardError } = lineOf(minutes, values)
    const confidence = QUANTILE * standardError
    const rise = slope * span
    const riseConfidence = confidence * span
    const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
    const bound = Math.max(least, share * median)
    const certain = Math.abs(bound - rise) >= riseConfidence
    return { name, unit, median, slope, confidence, rise, riseConfidence, bound, flat: rise <= bound, certain }
  })
}

/** The least-squares line: its slope, and the standard error of that. */
function lineOf(xs: readonly number[], ys: readonly number[]): { slope: number; standardError: number } {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(xs), mean(ys)]
  const spread = xs.reduce((sum, value) => sum + (value - x) ** 2, 0)
  const slope = xs.reduce((sum, value, n) => sum + (value - x) * ((ys[n] ?? y) - y), 0) / spread
  const rest = xs.reduce((sum, value, n) => sum + ((ys[n] ?? y) - (y + slope * (value - x))) ** 2, 0)
  return { slope, standardError: Math.sqrt(rest / (xs.length - 2) / spread) }
}
