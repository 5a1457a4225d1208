/** Refused credentials of one bucket: an address or a user name. Times in Unix milliseconds. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
  /** Nothing is verified before this moment. */
  readonly until: number
}

/** What is remembered of refused credentials, and of pairs of address and credential that have succeeded. */
export interface FailureMemory {
  /** The moments until which buckets wait, and whether the pair has succeeded before. */
  look(buckets: readonly string[], pair: string | undefined): Promise<{ until: readonly number[]; isTrusted: boolean }>
  /** Notes a refusal: `freeFailures` of a bucket have no consequence. */
  fail(bucket: string, freeFailures: number, now: number): Promise<void>
  /** Notes a success, which ends the wait of `bucket` if one is named. */
  trust(pair: string, bucket: string | undefined, now: number): Promise<void>
  distrust(pair: string): Promise<void>
}

/** Failures are forgotten after a quarter of an hour without another one; no caller waits longer than that either. */
export const WINDOW_SECONDS = 15 * 60

/** Seconds to wait after the `count`-th failure: one after the first that is not free, doubled with each further one. */
export function waitSeconds(count: number, freeFailures: number): number {
  const beyond = count - freeFailures
  return beyond > 0 ? Math.min(2 ** (beyond - 1), WINDOW_SECONDS) : 0
}

/** Buckets that are remembered. Beyond that the oldest go: an attacker with that many addresses gains nothing by guessing 256 bits. */
const MAX_BUCKETS = 50_000

/** The memory of one process. */
export function processFailureMemory(): FailureMemory {
  const failures = new Map<string, Failures>()
  const trusted = new Map<string, true>()
  return {
    async look(buckets, pair) {
      return {
        until: buckets.map((bucket) => failures.get(bucket)?.until ?? 0),
        isTrusted: pair !== undefined && trusted.has(pair),
      }
    },
    async fail(bucket, freeFailures, now) {
      const before = failures.get(bucket)
      const count = before && now - before.lastAt < WINDOW_SECONDS * 1000 ? before.count + 1 : 1
      remember(failures, bucket, { count, lastAt: now, until: now + waitSeconds(count, freeFailures) * 1000 })
    },
    async trust(pair, bucket) {
      if (bucket !== undefined) failures.delete(bucket)
      remember(trusted, pair, true)
    },
    async distrust(pair) {
      trusted.delete(pair)
    },
  }
}

/** Keeps the newest entries of a map. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next().value
  if (map.size > MAX_BUCKETS && oldest !== undefined) map.delete(oldest)
}
