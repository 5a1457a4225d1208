import { createFairQueue, type Holder } from '../concurrency/fair-queue.ts'
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
  readonly #inTurn = createFairQueue({
    concurrent: THREADS,
    ofUnknown: THREADS,
    ofEachUnknown: THREADS - 1,
    waiting: MOST_WAITING,
    refusal: tooMany,
  })
  readonly #oneLarge = createFairQueue({ concurrent: 1, ofUnknown: 1, waiting: MOST_LARGE_WAITING, refusal: tooMany })

  async decode<Name extends DecoderName>(name: Name, input: DecoderInputs[Name], holder: Holder): Promise<DecodedItem<Name>[]> {
    const isLarge = weightOf(input) >= LARGE_BYTES
    const decoded = () => this.#inTurn(holder, () => this.#inThread(name, input, isLarge))
    try {
      return await (isLarge ? this.#oneLarge(holder, decoded) : decoded())
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
    const thread = this.#idleThread()
    try {
      return await thread.decode(name, input, DEADLINE_MS[name])
    } finally {
      // The next one begins when the memory of this one is free.
      if (isLarge) await thread.end()
      else if (!thread.hasEnded) this.#idle.push(thread)
    }
  }

  #idleThread(): DecodeThread {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) if (!thread.hasEnded) return thread
    return new DecodeThread()
  }
}

/** Bytes that are read or written, about. */
function weightOf(input: DecoderInputs[DecoderName]): number {
  return 'content' in input ? input.bytesAbout : input.bytes.length
}

function tooMany(): DecodeFault {
  return new DecodeFault('queue', 'cannot be read now, since too many others are being read; try again in a minute')
}

/** Threads belong to the process, as those of Node itself do: what limits their number has to be one for all who decode. */
const threads = new DecodeThreads()

/** Documents of the publisher's own people and of this server, which come before those of a buyer. */
const OWN: Holder = { key: 'own', isKnown: true }

/**
 * Decodes a document in a thread with a memory limit and a deadline, so that neither an endless loop nor a document that grows reaches the server. Gives the
 * items of the result. What a buyer makes this server read is named by `buyer`: buyers take turns, and one has all threads but one at most. Throws DecodeFault for a document that is not of the format, or exceeds a limit.
 */
export function decode<Name extends DecoderName>(
  name: Name,
  input: DecoderInputs[Name],
  buyer?: string,
): Promise<DecodedItem<Name>[]> {
  return threads.decode(name, input, buyer === undefined ? OWN : { key: buyer, isKnown: false })
}
