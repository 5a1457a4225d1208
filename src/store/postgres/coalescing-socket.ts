import { Socket } from 'node:net'

/**
 * A socket that sends what one turn of the event loop writes to it as one: a system call costs more than the statement of PostgreSQL
 * that it carries. The driver corks the socket around each statement, which shows when there is something to send.
 */
export class CoalescingSocket extends Socket {
  #isHeld = false

  override cork(): void {
    super.cork()
    if (this.#isHeld) return
    this.#isHeld = true
    super.cork()
    // After everything that was read in this turn has been examined.
    setImmediate(() => {
      this.#isHeld = false
      super.uncork()
    })
  }
}
