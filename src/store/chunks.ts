/** Rows of one statement: 500 claims of 14 columns stay well below the parameter limit of both engines (32,766). */
const CHUNK = 500

/** Splits rows so that each part fits one statement. */
export function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK)
}
