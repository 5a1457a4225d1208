import type { LineTerms } from './line.ts'

/** What has been delivered of a line, by events that count, and what was decided and has not been reported yet. */
export interface Delivered {
  /** Events of the kind that the line is billed by. */
  readonly units: number
  readonly impressions: number
  /** Decisions of the last moments whose impression may still come. */
  readonly pending: number
}

/**
 * How far ahead of the clock delivery may run: a goal is met this long before the flight ends, so that an impression that is still on its way counts
 * in time. Shorter flights have a hundredth of theirs.
 */
const AHEAD_MS = 120_000

/** Share of the goals that should be delivered at `now`, 0 to 1; feedback is in the comparison with what was delivered. */
export function dueShare({ startsAt, endsAt, pacing }: Pick<LineTerms, 'startsAt' | 'endsAt' | 'pacing'>, now: number): number {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  if (now < start || now >= end) return 0
  const ahead = Math.min(AHEAD_MS, (end - start) / 100)
  const elapsed = Math.min(1, (now - start + ahead) / (end - start))
  switch (pacing) {
    case 'even':
      return elapsed
    case 'asap':
      return 1
    case 'front_loaded':
      return 1 - (1 - elapsed) ** 2
  }
}

export interface Allowance {
  /** Impressions that the line may take now; Infinity without a goal. */
  readonly impressions: number
  /** Delivered against what is due: the lowest is served first. */
  readonly urgency: number
}

/**
 * What a line may take at `now`: as much as it is behind its even (or chosen) pace, so that a dead hour is made up for as soon as traffic returns and
 * nothing is delivered beyond the goal. `perUnit` are the impressions that one billed unit is expected to take.
 */
export function allowanceOf(
  terms: Pick<LineTerms, 'startsAt' | 'endsAt' | 'pacing' | 'units' | 'impressions'>,
  { units, impressions, pending }: Delivered,
  perUnit: number,
  now: number,
): Allowance {
  const share = dueShare(terms, now)
  if (share === 0) return { impressions: 0, urgency: 1 }
  const goals = [
    ...(terms.units === undefined ? [] : [{ goal: terms.units, done: units + pending / perUnit, perUnit }]),
    ...(terms.impressions === undefined ? [] : [{ goal: terms.impressions, done: impressions + pending, perUnit: 1 }]),
  ]
  if (goals.length === 0) return { impressions: Number.POSITIVE_INFINITY, urgency: 1 }
  const left = goals.map((each) => Math.max(0, Math.ceil((each.goal * share - each.done) * each.perUnit)))
  const urgency = Math.max(...goals.map(({ goal, done }) => (goal === 0 ? 1 : done / (goal * share))))
  return { impressions: Math.min(...left), urgency }
}
