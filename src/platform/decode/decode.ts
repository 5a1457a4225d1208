import { limitConcurrency } from '../concurrency/limit-concurrency.ts'
import { DecodeFault } from './decode-fault.ts'
import { refusals } from './decode-refusals.ts'
import { DecodeThread } from './decode-thread-handle.ts'
import { DEADLINE_MS, type DecodedItem, type DecoderInputs, type DecoderName } from './decoders.ts'

/** Documents that are decoded at once, of which one may be large: two large ones, with their memory, are more than a server is given. */
const THREADS = 2
/** From here on a document may need most of what a thread is given: a workbook or archive of this size unfolds to some hundred megabytes. */
const LARGE_BYTES = 256 * 1024
/** Documents that wait for a thread. A sender who finds more before it would wait longer than a browser does. */
const MOST_WAITING = 64
/** The same of large ones, which are held in memory meanwhile: 16 MB each. */
const MOST_LARGE_WAITING = 8

/** The decoding threads of a process. One is started when it is needed, and ends when it was idle for a while, or has decoded a large document: it keeps the memory. */
class DecodeThreads {
  readonly #idle: DecodeThread[] = []
  readonly #waiting: (() => void)[] = []
  readonly #oneLarge = limitConcurrency(1, MOST_LARGE_WAITING, tooMany)
  #running = 0

  async decode<Name extends DecoderName>(name: Name, input: DecoderInputs[Name]): Promise<DecodedItem<Name>[]> {
    const isLarge = input.bytes.length >= LARGE_BYTES
    const decoded = () => this.#inThread(name, input, isLarge)
    try {
      return await (isLarge ? this.#oneLarge(decoded) : decoded())
    } catch (error) {
      if (error instanceof DecodeFault) refusals.count(name, error.limit)
      throw error
    }
  }

  async #inThread<Name extends DecoderName>(
    name: Name,
    input: DecoderInputs[Name],
    isLarge: boolean,
  ): Promise<DecodedItem<Name>[]> {
    await this.#begin()
    const thread = this.#idleThread()
    try {
      return await thread.decode(name, input, DEADLINE_MS[name])
    } finally {
      if (isLarge) thread.end()
      else if (!thread.hasEnded) this.#idle.push(thread)
      this.#end()
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < THREADS) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= MOST_WAITING) throw tooMany()
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

function tooMany(): DecodeFault {
  return new DecodeFault('queue', 'cannot be read now, since too many others are being read; try again in a minute')
}

/** Threads belong to the process, as those of Node itself do: what limits their number has to be one for all who decode. */
const threads = new DecodeThreads()

/**
 * Decodes a document in a thread with a memory limit and a deadline, so that neither an endless loop nor a document that grows reaches the server. Gives the
 * items of the result. Throws DecodeFault for a document that is not of the format, or exceeds a limit.
 */
export function decode<Name extends DecoderName>(name: Name, input: DecoderInputs[Name]): Promise<DecodedItem<Name>[]> {
  return threads.decode(name, input)
}
