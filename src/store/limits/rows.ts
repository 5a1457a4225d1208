export interface SharedLimitTables {
  /** Rows of rate-limiter-flexible: uses of a bucket in its window. */
  rate_limits: {
    key: string
    points: number
    /** Unix milliseconds. */
    expire: number | null
  }
}
