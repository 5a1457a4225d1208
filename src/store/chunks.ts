import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'

/** Rows of one statement: 500 claims of 14 columns stay well below the parameter limit of both engines (32,766). */
const CHUNK = 500

/** Rows that are written one by one with a statement compiled before: to compile one for exactly so many takes longer. */
export const FEW_ROWS = 4

/** Orders whose lines one statement looks at: each may have hundreds. */
export const ORDERS = 10

/** Splits rows so that each part fits one statement. */
export function* chunksOf<T>(items: readonly T[], size = CHUNK): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** As {@link chunksOf}, and yields to the event loop between two parts, so that other requests are answered. */
export async function* chunksInTurns<T>(items: readonly T[], size = CHUNK): AsyncGenerator<readonly T[]> {
  let started = false
  for (const chunk of chunksOf(items, size)) {
    if (started) await yieldToEventLoop()
    started = true
    yield chunk
  }
}

/** Runs a statement for each part of many rows, as {@link chunksInTurns} gives them. */
export async function forEachChunk<T>(items: readonly T[], run: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  for await (const chunk of chunksInTurns(items)) await run(chunk)
}

/** What is read for each part of many keys, in their order. */
export async function readChunks<T, R>(
  keys: readonly T[],
  read: (chunk: readonly T[]) => Promise<readonly R[]>,
  size = CHUNK,
): Promise<R[]> {
  const found: R[] = []
  for await (const chunk of chunksInTurns(keys, size)) for (const row of await read(chunk)) found.push(row)
  return found
}
