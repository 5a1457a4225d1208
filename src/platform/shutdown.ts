/** Ends a part of the program. */
export type Stop = () => void | Promise<unknown>

/** What has been started so far, and how it ends: the newest first, since it may use what was there before it. */
export interface Shutdown {
  /** Takes note of what was just started, and gives it back. */
  started<T>(part: T, stop: (part: T) => ReturnType<Stop>): T
  /** Ends everything, the newest first, also when some of it fails. Throws the first failure. A second call waits for the first one. */
  run(): Promise<void>
}

/** Of a program, or of a part that starts others. */
export function createShutdown(): Shutdown {
  const stops: Stop[] = []
  let running: Promise<void> | undefined
  const run = async () => {
    const failures: unknown[] = []
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      try {
        await stop()
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
    run: () => (running ??= run()),
  }
}
