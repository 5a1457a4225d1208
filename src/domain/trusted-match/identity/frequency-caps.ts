/** So many impressions of one user, of all packages with the label, within a window. */
export interface CapPolicy {
  readonly label: string
  readonly most: number
  /** Length of the window, in milliseconds; infinite for a whole campaign. */
  readonly windowMs: number
  /** The window moves by steps of so many milliseconds: one unit of it (impression tracker reference, "fcap_keys label model"). */
  readonly bucketMs: number
}

/** A name for a cap that changes with everything it says: what it held back counts as long as it stays the same. */
export function capRule({ label, most, windowMs, bucketMs }: CapPolicy): string {
  return JSON.stringify([label, most, windowMs, bucketMs])
}

/** An impression that counts for one token of a user. */
export interface Exposure {
  readonly impressionId: string
  readonly labels: readonly string[]
  /** Milliseconds. */
  readonly at: number
}

/** A cap that is used up, until when (milliseconds). */
export interface FiredCap {
  readonly label: string
  readonly rule: string
  readonly until: number
}

/**
 * The caps that a user's impressions have used up. `exposures`: of all tokens of the user; an impression that was written to several of them counts
 * once (impression tracker reference, "impression_id rules").
 */
export function firedCaps(policies: readonly CapPolicy[], exposures: readonly Exposure[], now: number): readonly FiredCap[] {
  const distinct = [...new Map(exposures.map((each) => [each.impressionId, each])).values()]
  return policies.flatMap((policy) => {
    const { label, most, windowMs, bucketMs } = policy
    const current = Math.floor(now / bucketMs)
    const buckets = windowMs / bucketMs
    const counted = distinct
      .filter(({ labels, at }) => labels.includes(label) && Math.floor(at / bucketMs) > current - buckets)
      .map(({ at }) => Math.floor(at / bucketMs))
      .sort((a, b) => a - b)
    if (counted.length < most) return []
    // One more is allowed when so many of the oldest have left the window that fewer than `most` are in it.
    const last = counted[counted.length - most] ?? current
    return [{ label, rule: capRule(policy), until: (last + buckets) * bucketMs }]
  })
}

/** Units of a window; a month has thirty days. */
const UNIT_MS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
  months: 2_592_000_000,
}

/** Milliseconds of so many units; infinite for a unit without a length (`campaign`). */
export function windowMs({ interval, unit }: { readonly interval: number; readonly unit: string }): number {
  return interval * (UNIT_MS[unit] ?? Number.POSITIVE_INFINITY)
}
