/** Work that is looked for at intervals and whenever somebody knows that there is some. */
export interface Ticker {
  /** Looks now; a look that is under way is followed by another. */
  wake(): void
  /** Resolves when nothing is being looked at. */
  idle(): Promise<void>
  /** Looks no more; resolves when the last look is done. */
  stop(): Promise<void>
}

/** Calls `look` every `everyMs`, on `wake`, and again while it says that there is more. One look at a time; its errors go to `onError`. */
export function startTicker(look: () => Promise<boolean>, everyMs: number, onError: (error: unknown) => void): Ticker {
  let current: Promise<void> | undefined
  let again = false
  let stopped = false
  const run = async () => {
    for (let more = true; more && !stopped; ) {
      again = false
      more = await look().catch((error: unknown) => {
        onError(error)
        return false
      })
      more ||= again
    }
  }
  const wake = () => {
    again = true
    if (stopped || current) return
    current = run().finally(() => {
      current = undefined
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
