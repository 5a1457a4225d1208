const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const AGENT_HEALTHS = ['unknown', 'online', 'failing', 'offline'] as const
export type AgentHealthState = (typeof AGENT_HEALTHS)[number]

/** Who told the registry of an agent: this deployment, its owner, or a crawl. */
export const AGENT_SOURCES = ['own', 'registered', 'discovered'] as const
export type AgentSource = (typeof AGENT_SOURCES)[number]

/** How an agent has done. Times are Unix milliseconds. */
export interface AgentHealth {
  readonly health: AgentHealthState
  readonly lastSeenAt: number | undefined
  readonly failingSince: number | undefined
  readonly failures: number
  /** Whether searches show it. */
  readonly listed: boolean
  readonly nextCheckAt: number
}

export interface HealthBefore {
  readonly lastSeenAt: number | undefined
  readonly failingSince: number | undefined
  readonly failures: number
  readonly listed: boolean
}

/** Time between two checks of an agent that answers. */
const CHECK_MS = 6 * HOUR_MS
const FIRST_RETRY_MS = 5 * MINUTE_MS
const LONGEST_RETRY_MS = 24 * HOUR_MS
/** One failure is a hiccup; from the third in a row on an agent is offline. */
const OFFLINE_FAILURES = 3
/** An agent that has been silent for so long is no longer shown; it comes back with its next answer. */
const UNLISTED_AFTER_MS = 7 * 24 * HOUR_MS

/** The health of an agent after a check. `random` in [0, 1) spreads the checks by ±10 %. */
export function healthAfter(before: HealthBefore, answered: boolean, now: number, random: number): AgentHealth {
  const jitter = 0.9 + 0.2 * random
  if (answered) {
    return {
      health: 'online',
      lastSeenAt: now,
      failingSince: undefined,
      failures: 0,
      listed: true,
      nextCheckAt: Math.round(now + CHECK_MS * jitter),
    }
  }
  const failures = before.failures + 1
  const failingSince = before.failingSince ?? now
  const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LONGEST_RETRY_MS)
  return {
    health: before.lastSeenAt === undefined ? 'unknown' : failures < OFFLINE_FAILURES ? 'failing' : 'offline',
    lastSeenAt: before.lastSeenAt,
    failingSince,
    failures,
    listed: before.listed && now - failingSince < UNLISTED_AFTER_MS,
    nextCheckAt: Math.round(now + retryMs * jitter),
  }
}
