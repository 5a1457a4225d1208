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

/** When a line runs and how its delivery is spread, ready for many questions. */
export interface Pace {
  readonly startMs: number
  readonly endMs: number
  readonly aheadMs: number
  readonly pacing: LineTerms['pacing']
}

export function paceOf({ startsAt, endsAt, pacing }: Pick<LineTerms, 'startsAt' | 'endsAt' | 'pacing'>): Pace {
  const [startMs, endMs] = [Date.parse(startsAt), Date.parse(endsAt)]
  return { startMs, endMs, aheadMs: Math.min(AHEAD_MS, (endMs - startMs) / 100), pacing }
}

/** Share of the goals that should be delivered at `now`, 0 to 1; feedback is in the comparison with what was delivered. */
export function dueShare({ startMs, endMs, aheadMs, pacing }: Pace, now: number): number {
  if (now < startMs || now >= endMs) return 0
  const elapsed = Math.min(1, (now - startMs + aheadMs) / (endMs - startMs))
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
  pace: Pace,
  { units: goalUnits, impressions: goalImpressions }: Pick<LineTerms, 'units' | 'impressions'>,
  { units, impressions, pending }: Delivered,
  perUnit: number,
  now: number,
): Allowance {
  const share = dueShare(pace, now)
  if (share === 0) return NOTHING_DUE
  if (goalUnits === undefined && goalImpressions === undefined) return NO_GOAL
  const byUnits = goalUnits === undefined ? NO_GOAL : behind(goalUnits * share, units + pending / perUnit, perUnit)
  const byImpressions = goalImpressions === undefined ? NO_GOAL : behind(goalImpressions * share, impressions + pending, 1)
  return {
    impressions: Math.min(byUnits.impressions, byImpressions.impressions),
    urgency:
      goalUnits === undefined
        ? byImpressions.urgency
        : goalImpressions === undefined
          ? byUnits.urgency
          : Math.max(byUnits.urgency, byImpressions.urgency),
  }
}

const NOTHING_DUE: Allowance = { impressions: 0, urgency: 1 }
const NO_GOAL: Allowance = { impressions: Number.POSITIVE_INFINITY, urgency: 1 }

function behind(due: number, done: number, perUnit: number): Allowance {
  return { impressions: Math.max(0, Math.ceil((due - done) * perUnit)), urgency: due === 0 ? 1 : done / due }
}
