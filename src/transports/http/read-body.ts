import type { IncomingMessage } from 'node:http'

/** The body is larger than the transport accepts; nothing of it is stored. */
export class BodyTooLarge extends Error {}

/** The peer went away, or the stream failed, before the body was complete. */
export class BodyIncomplete extends Error {}

/** So many large bodies are on their way at once that this one has no room; nothing of it is stored. */
export class NoRoomForBody extends Error {}

/** Room for bodies that have not arrived yet, of all requests of a transport together. */
export interface BodyBudget {
  /** Takes bytes; false when there is no room for them. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** All together: room for 32 bodies of the largest default size, and nothing for those who open thousands that never end. */
const BUDGET_BYTES = 128 * 1024 * 1024

/**
 * Bodies up to this size need no room: that is what nearly every call has, and what the headers of a request may take as well. So
 * senders of endless bodies keep no other caller out.
 */
const FREE_BYTES = 16 * 1024

/** A budget of its own for each transport. */
export function createBodyBudget(bytes = BUDGET_BYTES): BodyBudget {
  let left = bytes
  return {
    take(wanted) {
      if (wanted > left) return false
      left -= wanted
      return true
    },
    give(given) {
      left += given
    },
  }
}

/**
 * Reads a request body whole, as the bytes that came (a signature is verified over exactly these). Never holds more
 * than `maxBytes` plus one chunk, however small the pieces are that it comes in.
 * @throws BodyTooLarge when a declared or actual length exceeds `maxBytes`; the stream is left paused
 * @throws NoRoomForBody when `budget` is used up by bodies that have not arrived yet; the stream is left paused
 * @throws BodyIncomplete when the peer aborts
 */
export function readBody(request: IncomingMessage, maxBytes: number, budget: BodyBudget = createBodyBudget()): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(new BodyTooLarge())
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(maxBytes, budget)
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort)
      body.leave()
      finish()
    }
    const onData = (chunk: Buffer) => {
      const refusal = body.add(chunk)
      if (refusal === undefined) return
      request.pause()
      settle(() => reject(refusal))
    }
    const onEnd = () => {
      const bytes = body.bytes()
      settle(() => resolve(bytes))
    }
    const onAbort = () => settle(() => reject(new BodyIncomplete()))
    request.on('data', onData).on('end', onEnd).on('error', onAbort).on('close', onAbort)
  })
}

/** Bytes in one buffer that doubles: a list of chunks would cost a hundred times its bytes when they come one by one. */
class GrowingBody {
  readonly #maxBytes: number
  readonly #budget: BodyBudget
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0
  #taken = 0

  constructor(maxBytes: number, budget: BodyBudget) {
    this.#maxBytes = maxBytes
    this.#budget = budget
  }

  /** Keeps a chunk, or says why not. */
  add(chunk: Buffer): Error | undefined {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return new BodyTooLarge()
    if (this.#length === 0) {
      // Most bodies come in one piece, which needs no copy.
      if (!this.#reserve(length)) return new NoRoomForBody()
      this.#buffer = chunk
    } else {
      if (length > this.#buffer.length && !this.#grow(length)) return new NoRoomForBody()
      chunk.copy(this.#buffer, this.#length)
    }
    this.#length = length
    return undefined
  }

  bytes(): Buffer {
    return this.#buffer.length === this.#length ? this.#buffer : this.#buffer.subarray(0, this.#length)
  }

  leave(): void {
    this.#budget.give(this.#taken)
    this.#taken = 0
  }

  #grow(length: number): boolean {
    const capacity = Math.min(this.#maxBytes, Math.max(FREE_BYTES, 2 * length))
    if (!this.#reserve(capacity)) return false
    const grown = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(grown, 0, 0, this.#length)
    this.#buffer = grown
    return true
  }

  #reserve(capacity: number): boolean {
    const wanted = capacity > FREE_BYTES ? capacity - this.#taken : 0
    if (wanted > 0 && !this.#budget.take(wanted)) return false
    this.#taken += Math.max(0, wanted)
    return true
  }
}
