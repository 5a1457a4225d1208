import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two turns: what is ready by then is written together, and one commit waits for the disk once for all of it. */
const TURN_MS = 10

/** Lets pieces of work that become ready one by one go on in groups. */
export class WriteTurns {
  #next: Promise<void> | undefined

  /** Resolves at the next turn. */
  wait(): Promise<void> {
    this.#next ??= sleep(TURN_MS).then(() => {
      this.#next = undefined
    })
    return this.#next
  }
}
