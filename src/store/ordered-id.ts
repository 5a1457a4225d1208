import { randomUUID } from 'node:crypto'

/** An id that sorts by when it was made: microseconds of the machine's clock, never backwards in one process. */
export function orderedId(): string {
  return `${(performance.timeOrigin + performance.now()).toFixed(3).padStart(18, '0')}-${randomUUID()}`
}
