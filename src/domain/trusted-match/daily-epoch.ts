const DAY_SECONDS = 86_400

/** Days since 1970 in UTC, which signatures are bound to (Trusted Match specification, "Signing model"). */
export function dailyEpoch(now: Date): number {
  return Math.floor(now.getTime() / 1000 / DAY_SECONDS)
}

/** The epochs whose signatures are accepted: today's, and yesterday's for requests that were signed before midnight. */
export function acceptedEpochs(now: Date): readonly [number, number] {
  const today = dailyEpoch(now)
  return [today, today - 1]
}
