import { setImmediate as otherWork } from 'node:timers/promises'

/** Rows of one statement: 500 claims of 14 columns stay well below the parameter limit of both engines (32,766). */
const CHUNK = 500

/** Rows that are written one by one with a statement compiled before: to compile one for exactly so many takes longer. */
export const FEW_ROWS = 4

/** Splits rows so that each part fits one statement. */
export function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK)
}

/** Runs a statement for each part of many rows, and yields to the event loop between two, so that other requests are answered. */
export async function forEachChunk<T>(items: readonly T[], run: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  let started = false
  for (const chunk of chunksOf(items)) {
    if (started) await otherWork()
    started = true
    await run(chunk)
  }
}
