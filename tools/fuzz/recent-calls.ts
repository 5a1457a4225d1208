import type { Turn } from './liveness.ts'

interface RecentCall {
  readonly startedAt: number
  readonly endedAt: number
  readonly body: string
}

/** Calls that are kept: those of some minutes. */
const MOST = 60_000
const BODY_LENGTH = 400
/** How exactly a turn is placed: the timer that measures it, and the clocks of two processes. */
const BLUR_MS = 20
const MOST_SHOWN = 8

/** The calls of the last minutes, to say which were under way when the server was held up. */
export class RecentCalls {
  readonly #calls: RecentCall[] = []

  /** A call that has just been answered. `tookMs`: how long that took. */
  add(body: string, tookMs: number): void {
    const endedAt = performance.timeOrigin + performance.now()
    this.#calls.push({ startedAt: endedAt - tookMs, endedAt, body: body.slice(0, BODY_LENGTH) })
    if (this.#calls.length > 2 * MOST) this.#calls.splice(0, MOST)
  }

  /** The calls that a turn may have been spent on, one a line; or that there were none. */
  during({ ms, endedAt }: Turn): string {
    const from = endedAt - ms - BLUR_MS
    const under = this.#calls.filter((call) => call.startedAt <= endedAt + BLUR_MS && call.endedAt >= from)
    if (under.length === 0)
      return 'during none of the calls: in what a new buyer begins with, or in work of the server that no call waits for'
    return under
      .slice(0, MOST_SHOWN)
      .map(({ body }) => body)
      .join('\n      ')
  }
}
