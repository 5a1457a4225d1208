import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'

/** A function that runs at intervals, and at once when it is woken. */
export interface BackgroundJob {
  /** Runs now; a run that is in progress is followed by another. */
  wake(): void
  /** Resolves when no run is in progress. */
  idle(): Promise<void>
  /** Stops; resolves when the last run has ended. */
  stop(): Promise<void>
}

/** Calls `work` every `everyMs`, on `wake`, and again while it returns true (there is more). One run at a time; its errors go to `onError`. */
export function startBackgroundJob(
  work: () => Promise<boolean>,
  everyMs: number,
  onError: (error: unknown) => void,
): BackgroundJob {
  let current: Promise<void> | undefined
  let again = false
  let stopped = false
  const run = async () => {
    for (let more = true; more && !stopped; ) {
      again = false
      more = await work().catch((error: unknown) => {
        onError(error)
        return false
      })
      more ||= again
      // A job on a store that answers at once would else keep everything else waiting for as long as it has more to do.
      if (more) await yieldToEventLoop()
    }
  }
  const wake = () => {
    again = true
    if (stopped || current) return
    current = run().finally(() => {
      current = undefined
      // Woken between the last look of that run and now.
      if (again) wake()
    })
  }
  const timer = setInterval(wake, everyMs).unref()
  const idle = async () => {
    while (current) await current
  }
  return {
    wake,
    idle,
    async stop() {
      stopped = true
      clearInterval(timer)
      await idle()
    },
  }
}
