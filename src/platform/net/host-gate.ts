/** How much one host is asked at a time. */
export interface Politeness {
  readonly perHost: number
  /** Milliseconds between the starts of two requests to one host. */
  readonly spacingMs: number
}

interface Lane {
  running: number
  nextStartAt: number
  readonly waiting: (() => void)[]
}

/** Lets at most `perHost` requests run against a host at once and spaces their starts. Keeps state only for hosts in use. */
export class HostGate {
  readonly #politeness: Politeness
  readonly #lanes = new Map<string, Lane>()

  constructor(politeness: Politeness) {
    this.#politeness = politeness
  }

  /** Runs `work` when the host's turn comes; what it gives or throws is passed on. */
  async run<T>(host: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(host) ?? { running: 0, nextStartAt: 0, waiting: [] }
    this.#lanes.set(host, lane)
    if (lane.running >= this.#politeness.perHost) await new Promise<void>((resolve) => lane.waiting.push(resolve))
    else lane.running += 1
    try {
      const wait = lane.nextStartAt - performance.now()
      lane.nextStartAt = Math.max(lane.nextStartAt, performance.now()) + this.#politeness.spacingMs
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      return await work()
    } finally {
      this.#leave(host, lane)
    }
  }

  #leave(host: string, lane: Lane): void {
    const next = lane.waiting.shift()
    // The place passes to the next in line, so `running` stays as it is.
    if (next) {
      next()
      return
    }
    lane.running -= 1
    if (lane.running === 0 && lane.nextStartAt <= performance.now()) this.#lanes.delete(host)
    else if (lane.running === 0) setTimeout(() => this.#forget(host, lane), lane.nextStartAt - performance.now() + 1).unref()
  }

  #forget(host: string, lane: Lane): void {
    if (lane.running === 0 && this.#lanes.get(host) === lane) this.#lanes.delete(host)
  }
}
