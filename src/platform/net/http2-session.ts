import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { FetchFailure } from './fetch-policy.ts'
import { MOST_INTERIM, tooManyInterim } from './read-body.ts'

/** What is sent over a connection of HTTP/2. */
export interface Http2Question {
  /** With `:method` and `:path`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Bytes of an answer; a larger one is a failure. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** An answer that arrived whole; without its body when its status is not 200. */
export interface Http2Answer {
  readonly status: number
  readonly body: Buffer
}

/** A session over a connection that negotiated `h2`. An error of it ends it; it is destroyed when it is closed. */
export function openSession(origin: string, socket: TLSSocket): ClientHttp2Session {
  const session = connect(origin, { createConnection: () => socket, settings: { enablePush: false, maxHeaderListSize: 16_384 } })
  // Each request fails with it.
  session.on('error', () => undefined)
  // The server takes no more requests here; those that it took are answered (RFC 9113 §6.8).
  session.once('goaway', () => session.close())
  return session
}

const cutOff = () => new FetchFailure('network', 'the answer was cut off')

/** Of an answer of some hundred kilobytes, which comes in parts of one at least. */
const MOST_PARTS = 4_000

/** Sends one request and gives its answer. Rejects when it is cut off or too large, and when `signal` aborts: the stream is cancelled then. An answer that is too
 * large, or comes in too many parts, ends the session. */
export function exchange(session: ClientHttp2Session, question: Http2Question): Promise<Http2Answer> {
  const { headers, body, maxBytes, signal } = question
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined })
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    let interim = 0
    let isSettled = false
    const settle = () => {
      isSettled = true
      signal.removeEventListener('abort', abort)
    }
    const finish = () => {
      settle()
      resolve({ status, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) })
    }
    const fail = (failure: FetchFailure) => {
      if (isSettled) return
      settle()
      stream.close(constants.NGHTTP2_CANCEL)
      reject(failure)
    }
    const abort = () => fail(new FetchFailure('network', 'the request was given up'))
    signal.addEventListener('abort', abort)
    stream.on('response', (answered) => {
      status = answered[':status'] ?? 0
      if (status === 200 || isSettled) return
      finish()
      stream.close(constants.NGHTTP2_CANCEL)
    })
    /** Node.js goes on to count what was sent to a cancelled stream as memory of its connection, which takes no more streams after 10 MB of it; and each part takes time. */
    const endSession = (failure: FetchFailure) => {
      fail(failure)
      session.destroy()
    }
    stream.on('headers', () => {
      interim += 1
      if (interim > MOST_INTERIM) endSession(tooManyInterim())
    })
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > maxBytes) endSession(new FetchFailure('network', `the answer is larger than ${maxBytes} bytes`))
      else if (chunks.length > MOST_PARTS)
        endSession(new FetchFailure('network', `the answer came in more than ${MOST_PARTS} parts`))
    })
    stream.on('end', () => {
      // A stream that was reset or lost its connection ends as well (RFC 9113 §8.1 lets a server reset one without an error after its answer).
      if ((stream.rstCode ?? 0) !== 0 || status === 0) fail(cutOff())
      else if (!isSettled) finish()
    })
    stream.on('error', () => fail(cutOff()))
    stream.on('close', () => {
      fail(cutOff())
      // Node.js holds a closed stream until the next full collection of garbage; what its listeners refer to need not wait for that.
      stream.removeAllListeners()
    })
    if (body !== undefined) stream.end(body)
  })
}
