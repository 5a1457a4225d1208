import { setTimeout as sleep } from 'node:timers/promises'

/** Ends a part of the program. */
export type Stop = () => void | Promise<unknown>

/** What has been started so far, and how it ends: the newest first, since it may use what was there before it. */
export interface Shutdown {
  /** Takes note of what was just started, and gives it back. */
  started<T>(part: T, stop: (part: T) => ReturnType<Stop>): T
  /**
   * Ends everything, the newest first, also when some of it fails. Throws the first failure. A second call waits for the first one. After `mostMs` no part is waited for
   * any longer than it takes to write what it holds.
   */
  run(mostMs?: number): Promise<void>
}

/** What a part needs to write what it holds, when nothing else keeps it. */
const LAST_MS = 200

/** Of a program, or of a part that starts others. */
export function createShutdown(): Shutdown {
  const stops: Stop[] = []
  let running: Promise<void> | undefined
  const run = async (mostMs: number) => {
    const until = performance.now() + mostMs
    const failures: unknown[] = []
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      try {
        await atMost(stop(), Math.max(LAST_MS, until - performance.now()))
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  return {
    started(part, stop) {
      stops.push(() => stop(part))
      return part
    },
    run: (mostMs = Number.POSITIVE_INFINITY) => (running ??= run(mostMs)),
  }
}

/** Waits for work, for so long at most. */
async function atMost(work: ReturnType<Stop>, ms: number): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) await work
  else {
    const over = new AbortController()
    const late = sleep(ms, undefined, { signal: over.signal }).catch(() => {})
    await Promise.race([work, late]).finally(() => over.abort())
  }
}
