/** How often documents were refused in this process, by decoder and limit. */
class DecodeRefusals {
  readonly counts = new Map<string, number>()

  /** Both are words of the program, so that their number is bounded. */
  count(decoder: string, limit: string): void {
    const key = `${decoder} ${limit}`
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}

/** Of the process, as the decoding threads are: what is refused anywhere is counted here, and read when the numbers are asked for. */
export const refusals = new DecodeRefusals()

/** How often documents were refused since the process started, by decoder and limit: `workbook memory`, `json depth`. */
export function decodeRefusals(): ReadonlyMap<string, number> {
  return refusals.counts
}
