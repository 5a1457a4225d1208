/** How much others are asked at a time. Each limit holds beside the other two. */
export interface Politeness {
  /** Requests at once to one host name. */
  readonly perHost: number
  /** Requests at once to all host names of one registrable domain. */
  readonly perDomain: number
  /** Connections at once to one address, whatever the names that resolve to it. */
  readonly perAddress: number
  /** Milliseconds between the starts of two requests to one registrable domain. */
  readonly spacingMs: number
}

export interface TurnLimits {
  /** How many may be under way for one key. */
  readonly atOnce: number
  /** Milliseconds between two starts for one key. */
  readonly spacingMs: number
}

interface KeyState {
  running: number
  nextStartAt: number
  readonly waiting: (() => void)[]
}

/** Lets at most `atOnce` pieces of work run for a key at once and spaces their starts. Keeps state only for keys in use. */
export class TurnGate {
  readonly #limits: TurnLimits
  readonly #keys = new Map<string, KeyState>()

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** Runs `work` when the key's turn comes; what it gives or throws is passed on. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Resolves when the key's turn comes, with the function that ends the turn; it must be called once. */
  async enter(key: string): Promise<() => void> {
    const state = this.#keys.get(key) ?? { running: 0, nextStartAt: 0, waiting: [] }
    this.#keys.set(key, state)
    if (state.running >= this.#limits.atOnce) await new Promise<void>((resolve) => state.waiting.push(resolve))
    else state.running += 1
    const wait = state.nextStartAt - performance.now()
    state.nextStartAt = Math.max(state.nextStartAt, performance.now()) + this.#limits.spacingMs
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return () => this.#leave(key, state)
  }

  #leave(key: string, state: KeyState): void {
    const next = state.waiting.shift()
    // The place passes to the next in line, so `running` stays as it is.
    if (next) {
      next()
      return
    }
    state.running -= 1
    if (state.running === 0 && state.nextStartAt <= performance.now()) this.#keys.delete(key)
    else if (state.running === 0) setTimeout(() => this.#forget(key, state), state.nextStartAt - performance.now() + 1).unref()
  }

  #forget(key: string, state: KeyState): void {
    if (state.running === 0 && this.#keys.get(key) === state) this.#keys.delete(key)
  }
}
