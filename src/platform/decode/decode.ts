import { DecodeFault } from './decode-fault.ts'
import { refusals } from './decode-refusals.ts'
import { DecodeThread } from './decode-thread-handle.ts'
import { DEADLINE_MS, type DecodedPart, type DecoderInputs, type DecoderName } from './decoders.ts'

/** Documents that are decoded at once: two, with their memory, stay within what a server is given. */
const THREADS = 2
/** Documents that wait for a thread. A sender who finds more before it would wait longer than a browser does. */
const MOST_WAITING = 64

/** The decoding threads of a process. One is started when it is needed, and ends when it was idle for a while. */
class DecodeThreads {
  readonly #idle: DecodeThread[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0

  async decode<Name extends DecoderName>(name: Name, input: DecoderInputs[Name]): Promise<DecodedPart<Name>[]> {
    try {
      await this.#begin()
      const thread = this.#idleThread()
      try {
        return await thread.decode(name, input, DEADLINE_MS[name])
      } finally {
        if (!thread.hasEnded) this.#idle.push(thread)
        this.#end()
      }
    } catch (error) {
      if (error instanceof DecodeFault) refusals.count(name, error.limit)
      throw error
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < THREADS) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= MOST_WAITING)
      throw new DecodeFault('queue', 'cannot be read now, since too many others are being read; try again in a minute')
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The place of a document that is done goes to the one that waited longest. */
  #end(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }

  #idleThread(): DecodeThread {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) if (!thread.hasEnded) return thread
    return new DecodeThread()
  }
}

/** Threads belong to the process, as those of Node itself do: what limits their number has to be one for all who decode. */
const threads = new DecodeThreads()

/**
 * Decodes a document in a thread with a memory limit and a deadline, so that neither an endless loop nor a document that grows reaches the server. Gives the
 * parts of the result. Throws DecodeFault for a document that is not of the format, or exceeds a limit.
 */
export function decode<Name extends DecoderName>(name: Name, input: DecoderInputs[Name]): Promise<DecodedPart<Name>[]> {
  return threads.decode(name, input)
}
