import type { ClientHttp2Session } from 'node:http2'
import { FetchFailure } from './fetch-policy.ts'
import { exchange, type Http2Answer, type Http2Question, openSession } from './http2-session.ts'
import { type PinningOptions, pinnedAddress, pinnedTls } from './pinned-address.ts'
import { connectTls } from './tls-connection.ts'

/** A server of HTTP/2 and the one connection to it, opened when it is first needed and again after it was lost. */
export interface Http2Peer {
  /** Rejects with {@link NoHttp2} when the server does not negotiate HTTP/2, and with FetchFailure. */
  ask(question: Http2Question): Promise<Http2Answer>
  close(): void
}

/** The server speaks HTTP/1.1 alone. */
export class NoHttp2 extends Error {}

/** A connection on which nothing was answered for so long is replaced. */
const SILENCE_MS = 10_000
/** After an attempt to connect that failed, requests fail at once for so long. */
const PAUSE_MS = 200

/** A peer at an https origin. Its name is resolved and judged for each connection. */
export function createHttp2Peer(origin: string, options: PinningOptions): Http2Peer {
  const url = new URL(origin)
  const tls = pinnedTls(options, ['h2', 'http/1.1'])
  const state: { session?: Promise<ClientHttp2Session> | undefined; heardAt: number; failedAt: number; closed: boolean } = {
    heardAt: 0,
    failedAt: Number.NEGATIVE_INFINITY,
    closed: false,
  }
  const open = async (): Promise<ClientHttp2Session> => {
    const socket = await connectTls(await pinnedAddress(url, options), tls)
    if (socket.alpnProtocol !== 'h2' || state.closed) {
      socket.destroy()
      throw state.closed ? new FetchFailure('aborted', 'the connection is closed') : new NoHttp2('the server speaks no HTTP/2')
    }
    state.heardAt = performance.now()
    return openSession(origin, socket)
  }
  const connected = (): Promise<ClientHttp2Session> => {
    if (state.session) return state.session
    if (performance.now() - state.failedAt < PAUSE_MS) throw new FetchFailure('connect', 'connecting failed just now')
    const opened = open()
    opened.then(
      (session) => session.once('goaway', () => forget(opened)),
      (error: unknown) => {
        forget(opened)
        if (!(error instanceof NoHttp2)) state.failedAt = performance.now()
      },
    )
    state.session = opened
    return opened
  }
  const forget = (session: Promise<ClientHttp2Session>) => {
    if (state.session === session) state.session = undefined
  }
  /** A session that takes requests. One that has ended says so before its event `close` comes. */
  const usable = async (): Promise<ClientHttp2Session> => {
    const opened = connected()
    const session = await opened
    if (!session.closed && !session.destroyed) return session
    forget(opened)
    return connected()
  }
  return {
    async ask(question) {
      const session = await usable()
      if (question.signal.aborted) throw new FetchFailure('aborted', 'the request was given up')
      try {
        const answer = await exchange(session, question)
        state.heardAt = performance.now()
        return answer
      } catch (error) {
        if (performance.now() - state.heardAt > SILENCE_MS) session.destroy()
        throw error
      }
    },
    close() {
      state.closed = true
      state.session?.then(
        (session) => session.destroy(),
        () => undefined,
      )
    },
  }
}
