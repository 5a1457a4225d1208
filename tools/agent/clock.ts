/** The variable that `shift-clock.mjs` reads, in the server process as in this one. */
export const CLOCK_SHIFT_VARIABLE = 'TEST_CLOCK_SHIFT_MS'

/** The preload itself, as `node --import` takes it. */
export const CLOCK_PRELOAD = new URL('./shift-clock.mjs', import.meta.url).href

/**
 * Milliseconds to add to the real clock so that it shows `anchor`.
 * @param anchor an ISO 8601 date or date-time
 * @throws Error when the anchor is no date
 */
export function clockShiftTo(anchor: string, realNowMs: number): number {
  const anchorMs = Date.parse(anchor)
  if (Number.isNaN(anchorMs)) throw new Error(`--now: "${anchor}" is not an ISO 8601 date-time`)
  return anchorMs - realNowMs
}

/** Shifts the clock of this process. Call it before the suite is imported: modules may keep a reference to `Date`. */
export async function shiftOwnClock(shiftMs: number): Promise<void> {
  process.env[CLOCK_SHIFT_VARIABLE] = String(shiftMs)
  await import(CLOCK_PRELOAD)
}
