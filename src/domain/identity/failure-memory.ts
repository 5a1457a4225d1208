/**
 * What refusals are counted by: the address that they come from, the name that a password is guessed for, and that name as it is tried from that
 * address.
 */
export interface Bucket {
  readonly key: string
  readonly kind: 'address' | 'name' | 'name at address'
  /** Refusals that have no consequence. */
  readonly freeFailures: number
}

/** Refused credentials of one bucket. Times in Unix milliseconds. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
  /** Nothing is verified before this moment. */
  readonly until: number
}

/** An attempt that is counted as a failure before it is judged: until when each bucket waits because of it. */
export type Counted = readonly { readonly bucket: Bucket; readonly until: number }[]

/** What is remembered of refused credentials, and of pairs of address and credential that have succeeded. */
export interface FailureMemory {
  isTrusted(pair: string): Promise<boolean>
  trust(pair: string, now: number): Promise<void>
  distrust(pair: string): Promise<void>
  /** Failures of a bucket that are not forgotten at `now`. */
  look(bucket: Bucket, now: number): Promise<Failures>
  /** Counts a failure in every bucket, in one step; in none of them when one waits: then gives the moment until which it does. */
  count(buckets: readonly Bucket[], now: number): Promise<Counted | number>
  /** The attempt was none: takes it back, with the wait that came of it. */
  takeBack(counted: Counted): Promise<void>
  /** The attempt was right: takes it back, and forgets what failed for this name at this address. */
  forgive(counted: Counted): Promise<void>
}

/** Failures are forgotten after a quarter of an hour without another one; no caller waits longer than that either. */
export const WINDOW_SECONDS = 15 * 60
export const WINDOW_MS = WINDOW_SECONDS * 1000

/** A name that is guessed from many addresses: a refusal at any of them is followed by half a minute (2⁵ seconds) at once. */
const STEPS_UNDER_ATTACK = 5

/** Seconds to wait after the `count`-th failure: one after the first that is not free, doubled with each further one. */
export function waitSeconds(count: number, freeFailures: number): number {
  const beyond = count - freeFailures
  return beyond > 0 ? Math.min(2 ** (beyond - 1), WINDOW_SECONDS) : 0
}

/**
 * Seconds that each bucket waits, with the attempt counted. A name as such never waits: a stranger could lock its holder out everywhere. When
 * it has failed too often, no failure of it is free at any address any more.
 */
export function waitsOf(counts: readonly { readonly bucket: Bucket; readonly count: number }[]): readonly number[] {
  const isAttacked = counts.some(({ bucket, count }) => bucket.kind === 'name' && count > bucket.freeFailures)
  return counts.map(({ bucket, count }) => {
    if (bucket.kind === 'name') return 0
    if (bucket.kind === 'name at address' && isAttacked) return waitSeconds(count + STEPS_UNDER_ATTACK, 0)
    return waitSeconds(count, bucket.freeFailures)
  })
}

/** Buckets that are remembered. Beyond that the oldest go: an attacker with that many addresses gains nothing by guessing 256 bits. */
const MAX_BUCKETS = 50_000

const NONE: Failures = { count: 0, lastAt: 0, until: 0 }

/** The memory of one process. */
export function processFailureMemory(): FailureMemory {
  const failures = new Map<string, Failures>()
  const trusted = new Map<string, true>()
  const recent = (key: string, now: number) => {
    const known = failures.get(key)
    return known && now - known.lastAt < WINDOW_MS ? known : NONE
  }
  const takeBack = ({ bucket: { key }, until }: Counted[number]) => {
    const known = failures.get(key)
    if (known) remember(failures, key, { ...known, count: known.count - 1, until: known.until === until ? 0 : known.until })
  }
  return {
    isTrusted: async (pair) => trusted.has(pair),
    trust: async (pair) => remember(trusted, pair, true),
    async distrust(pair) {
      trusted.delete(pair)
    },
    look: async ({ key }, now) => recent(key, now),
    async count(buckets, now) {
      const known = buckets.map((bucket) => ({ bucket, ...recent(bucket.key, now) }))
      const until = Math.max(...known.map((each) => each.until))
      if (until > now) return until
      const counts = known.map(({ bucket, count }) => ({ bucket, count: count + 1 }))
      const waits = waitsOf(counts)
      return counts.map(({ bucket, count }, index) => {
        const ends = now + (waits[index] ?? 0) * 1000
        remember(failures, bucket.key, { count, lastAt: now, until: ends })
        return { bucket, until: ends }
      })
    },
    async takeBack(counted) {
      counted.forEach(takeBack)
    },
    async forgive(counted) {
      for (const each of counted)
        if (each.bucket.kind === 'name at address') failures.delete(each.bucket.key)
        else takeBack(each)
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
