/** How much one host is asked at a time. */
export interface Politeness {
  readonly perHost: number
  /** Milliseconds between the starts of two requests to one host. */
  readonly spacingMs: number
}

interface HostState {
  running: number
  nextStartAt: number
  readonly waiting: (() => void)[]
}

/** Lets at most `perHost` requests run against a host at once and spaces their starts. Keeps state only for hosts in use. */
export class HostGate {
  readonly #politeness: Politeness
  readonly #hosts = new Map<string, HostState>()

  constructor(politeness: Politeness) {
    this.#politeness = politeness
  }

  /** Runs `work` when the host's turn comes; what it gives or throws is passed on. */
  async run<T>(host: string, work: () => Promise<T>): Promise<T> {
    const state = this.#hosts.get(host) ?? { running: 0, nextStartAt: 0, waiting: [] }
    this.#hosts.set(host, state)
    if (state.running >= this.#politeness.perHost) await new Promise<void>((resolve) => state.waiting.push(resolve))
    else state.running += 1
    try {
      const wait = state.nextStartAt - performance.now()
      state.nextStartAt = Math.max(state.nextStartAt, performance.now()) + this.#politeness.spacingMs
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      return await work()
    } finally {
      this.#leave(host, state)
    }
  }

  #leave(host: string, state: HostState): void {
    const next = state.waiting.shift()
    // The place passes to the next in line, so `running` stays as it is.
    if (next) {
      next()
      return
    }
    state.running -= 1
    if (state.running === 0 && state.nextStartAt <= performance.now()) this.#hosts.delete(host)
    else if (state.running === 0) setTimeout(() => this.#forget(host, state), state.nextStartAt - performance.now() + 1).unref()
  }

  #forget(host: string, state: HostState): void {
    if (state.running === 0 && this.#hosts.get(host) === state) this.#hosts.delete(host)
  }
}
