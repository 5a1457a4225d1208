import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * While the program loads, V8 grows the space for young objects to its largest size (32 MB) and never gives it back to the system.
 * It stays small until the server is up; what calls need then, it gets. Imported before everything else.
 */
setFlagsFromString('--semi-space-growth-factor=1')

/**
 * Left to itself, V8 lets the old objects grow to up to four times of what is alive before it collects garbage among them: pages that it does not give back.
 * A server's live data is some 45 MB whatever it is asked, so half as much again is room enough.
 */
setFlagsFromString('--heap-growing-percent=50')

/** From here on the space for young objects grows as the calls need it: V8's own setting. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}

const CHECK_MS = 50

/**
 * Lets the space for young objects grow until it has `bytes`. Messages of some hundred bytes die young in a small space too, and every doubling of it stays in
 * the memory of the process. One thread collects them: there is so little to move that further threads would take longer to start than they help.
 */
export function letYoungGenerationGrowTo(bytes: number): void {
  setFlagsFromString('--no-parallel-scavenge')
  letYoungGenerationGrow()
  const timer = setInterval(() => {
    const { space_size: size = 0 } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
    if (size < bytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, CHECK_MS)
  timer.unref()
}
