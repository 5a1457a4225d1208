import { GamOutage } from './gam-error.ts'

/** How fast the APIs of a network are called. */
export interface Pace {
  /** Waits until the next call may be made. Throws {@link GamOutage} when too many wait already. */
  turn(): Promise<void>
  /** The network said that the calls come too fast. */
  slower(): void
}

/**
 * Google asks for 8 calls a second at most of a network of Ad Manager 360, for 2 of any other, and for about 5 seconds without calls after the quota was exceeded
 * (https://developers.google.com/ad-manager/api/reference/v202411/OrderService.QuotaError.Reason). Which of the two a network is cannot be read.
 */
const LEAST_INTERVAL_MS = 1000 / 8
const MOST_INTERVAL_MS = 1000
const PAUSE_MS = 5_000
/** The quota is that of all programs at the network: some hundreds of calls later the pace is tried again that was too fast. */
const SLOWER = 1.5
const EASE = 0.998
/** A method of the port has 20 seconds for all its calls. */
const MOST_WAIT_MS = 12_000

/** Calls to a network one interval apart, which grows by half when the network says that its quota is exceeded. `nowMs`: a clock that never goes back. */
export function createPace(nowMs: () => number, pause: (ms: number) => Promise<void>): Pace {
  let [intervalMs, freeAt, slowedAt] = [LEAST_INTERVAL_MS, 0, Number.NEGATIVE_INFINITY]
  return {
    async turn() {
      const now = nowMs()
      const at = Math.max(now, freeAt)
      if (at - now > MOST_WAIT_MS) throw new GamOutage('too many calls wait for Google Ad Manager, whose quota is kept', 'none')
      freeAt = at + intervalMs
      intervalMs = Math.max(LEAST_INTERVAL_MS, intervalMs * EASE)
      if (at > now) await pause(at - now)
    },
    slower() {
      const now = nowMs()
      // Calls that were on their way together are refused together.
      if (now - slowedAt < PAUSE_MS) return
      slowedAt = now
      intervalMs = Math.min(MOST_INTERVAL_MS, intervalMs * SLOWER)
      freeAt = Math.max(freeAt, now + PAUSE_MS)
    },
  }
}
