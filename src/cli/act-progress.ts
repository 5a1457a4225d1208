/** Milliseconds between two lines: an act that is done sooner says nothing. */
const EVERY_MS = 1_000

/** Says on standard error what a long act is at, a line a second at most. */
export function actProgress(out: { write(text: string): unknown }, nowMs: () => number): (text: string) => void {
  let saidAt = nowMs()
  return (text) => {
    const now = nowMs()
    if (now - saidAt < EVERY_MS) return
    saidAt = now
    out.write(`${text}\n`)
  }
}
