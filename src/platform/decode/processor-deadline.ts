/** On a busy machine a thread waits for a processor: by the clock it may take so many times its processor time, up to two minutes. */
const MOST_OF_CLOCK = 6
const LONGEST_CLOCK_MS = 120_000
/** Shortest time between two looks, in milliseconds. */
const LOOK_MS = 500

/**
 * Calls `end` once a thread has had `processorMs` of processor time, and in any case when the clock has gone on for six times as long (at most two minutes), with the limit in words. Of the time that the process used what its main
 * thread was busy for is not the thread's. Gives what ends the watch.
 */
export function whenUsedUp(processorMs: number, end: (limit: string) => void): () => void {
  const [before, loop, startedAt] = [process.cpuUsage(), performance.eventLoopUtilization(), performance.now()]
  const clockMs = Math.max(processorMs, Math.min(processorMs * MOST_OF_CLOCK, LONGEST_CLOCK_MS))
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    const leftMs = processorMs - ((user + system) / 1000 - performance.eventLoopUtilization(loop).active)
    const clockLeftMs = clockMs - (performance.now() - startedAt)
    if (leftMs <= 0) return end(`${processorMs / 1000} seconds of processor time`)
    if (clockLeftMs <= 0) return end(`${clockMs / 1000} seconds`)
    timer = setTimeout(look, Math.min(clockLeftMs, Math.max(LOOK_MS, leftMs)))
  }
  let timer = setTimeout(look, processorMs)
  return () => clearTimeout(timer)
}
