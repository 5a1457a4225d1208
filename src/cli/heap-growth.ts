import { setFlagsFromString } from 'node:v8'

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
