import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { BODY_ROOM, type BodyPlace, type BodySender, SMALL_BYTES } from '../../platform/net/body-room.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** The body is larger than the transport accepts; nothing of it is stored. */
export class BodyTooLarge extends Error {}

/** The peer went away, or the stream failed, before the body was complete. */
export class BodyIncomplete extends Error {}

/** The body has not arrived in time. */
export class BodyTooSlow extends Error {}

/** When those whose bodies had no room may try again: bodies that never end are closed within half a minute. */
const RETRY_SECONDS = 5

/** So many large bodies are on their way at once that this one has no room; nothing of it is stored. */
export class NoRoomForBody extends AdcpError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'too many large requests are on their way; try again', {
      retryAfter: RETRY_SECONDS,
      http: { status: 503, headers: { 'Retry-After': String(RETRY_SECONDS) } },
    })
  }
}

export interface BodyRules {
  readonly maxBytes: number
  /** Whose share of the room for bodies it takes. */
  readonly sender: BodySender
  /** What it has to begin with, looked at once so many bytes are there: `check` throws for one that is not read further. A shorter body is not looked at. */
  readonly opening?: { readonly bytes: number; readonly check: (beginning: Buffer) => void }
  /** How long it may take, in milliseconds, where that is less than the listener allows a whole request. */
  readonly mostMs?: number
}

/**
 * Reads a request body whole, as the bytes that came (a signature is verified over exactly these). Never holds more
 * than `maxBytes` plus one chunk, however small the pieces are that it comes in, and all bodies of the process together hold no more than {@link BODY_ROOM} has. Where it
 * rejects, the stream is left paused.
 * @throws BodyTooLarge when a declared or actual length exceeds `maxBytes`
 * @throws NoRoomForBody when the room is used up by bodies that have not arrived yet
 * @throws BodyTooSlow after `mostMs`
 * @throws BodyIncomplete when the peer aborts
 */
export function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { maxBytes, sender, opening, mostMs }: BodyRules,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(maxBytes, BODY_ROOM.place(sender))
    let unseen = opening
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort)
      body.leave()
      finish()
    }
    const refuse = (refusal: unknown) => {
      if (refusal instanceof BodyTooLarge) BODY_ROOM.refused('size')
      request.pause()
      settle(() => reject(refusal))
    }
    const onData = (chunk: Buffer) => {
      try {
        body.add(chunk)
        if (unseen === undefined || body.length < unseen.bytes) return
        unseen.check(body.bytes())
        unseen = undefined
      } catch (refusal) {
        refuse(refusal)
      }
    }
    const onEnd = () => {
      const bytes = body.bytes()
      settle(() => resolve(bytes))
    }
    const onAbort = () => settle(() => reject(new BodyIncomplete()))
    const timer = mostMs === undefined ? undefined : setTimeout(() => refuse(new BodyTooSlow()), mostMs)
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse(new BodyTooLarge())
    else request.on('data', onData).on('end', onEnd).on('error', onAbort).on('close', onAbort)
  })
}

/**
 * Takes room for the body of a request that a library reads, which holds `maxBytes` of it at most, until it has arrived or the request is over.
 * @throws NoRoomForBody
 */
export function holdBodyRoom(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, sender }: Pick<BodyRules, 'maxBytes' | 'sender'>,
): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const most = coding === undefined ? Math.min(maxBytes, Number(length ?? 0)) : maxBytes
  if (most === 0) return
  const place = BODY_ROOM.place(sender)
  if (place.grow(most) !== undefined) {
    request.pause()
    throw new NoRoomForBody()
  }
  const leave = () => place.leave()
  request.once('end', leave).once('close', leave)
  response.once('close', leave)
}

/** Bytes in one buffer that doubles: a list of chunks would cost a hundred times its bytes when they come one by one. */
class GrowingBody {
  readonly #maxBytes: number
  readonly #place: BodyPlace
  #buffer: Buffer = Buffer.alloc(0)
  length = 0

  constructor(maxBytes: number, place: BodyPlace) {
    this.#maxBytes = maxBytes
    this.#place = place
  }

  /** Keeps a chunk. Throws BodyTooLarge and NoRoomForBody. */
  add(chunk: Buffer): void {
    const length = this.length + chunk.length
    if (length > this.#maxBytes) throw new BodyTooLarge()
    if (this.length === 0) {
      // Most bodies come in one piece, which needs no copy.
      this.#hold(length)
      this.#buffer = chunk
    } else {
      if (length > this.#buffer.length) this.#grow(length)
      chunk.copy(this.#buffer, this.length)
    }
    this.length = length
  }

  bytes(): Buffer {
    return this.#buffer.length === this.length ? this.#buffer : this.#buffer.subarray(0, this.length)
  }

  leave(): void {
    this.#place.leave()
  }

  #grow(length: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(SMALL_BYTES, 2 * length))
    this.#hold(capacity)
    const grown = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(grown, 0, 0, this.length)
    this.#buffer = grown
  }

  #hold(capacity: number): void {
    if (this.#place.grow(capacity) !== undefined) throw new NoRoomForBody()
  }
}
