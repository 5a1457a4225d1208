import type { Readable } from 'node:stream'
import type { Http2Answer, Http2Question } from './http2-session.ts'
import type { PinningOptions } from './pinned-address.ts'
import { readBody, readInParts } from './read-body.ts'

/** A server of HTTP/1.1 and the connections to it. */
export interface Http1Peer {
  /** Rejects as an exchange over HTTP/2 does. */
  ask(question: Http2Question): Promise<Http2Answer>
  close(): Promise<void>
}

/** A server that answers nothing for so long has lost the connection; the deadline of each request is far shorter. */
const SILENCE_MS = 10_000
/** Each carries one request at a time. */
const CONNECTIONS = 32

/** A peer at an http(s) origin. Its name is resolved and judged for each connection. */
export async function createHttp1Peer(origin: string, options: PinningOptions): Promise<Http1Peer> {
  const [{ Pool }, { pinnedConnector }] = await Promise.all([import('./undici-clients.ts'), import('./pinned-connector.ts')])
  const pool = new Pool(origin, {
    connect: pinnedConnector(options),
    connections: CONNECTIONS,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    maxHeaderSize: 16_384,
  })
  return {
    async ask({ headers: { ':method': method = 'GET', ':path': path = '/', ...headers }, body: sent, maxBytes, signal }) {
      const asked = { method: method === 'POST' ? 'POST' : 'GET', path, headers, body: sent ?? null, signal } as const
      const { statusCode: status, body } = await pool.request({ ...asked, ...readInParts() })
      if (status !== 200) {
        drop(body)
        return { status, body: Buffer.alloc(0) }
      }
      return { status, body: await readBody(body, '', { maxBytes, whenLarger: 'refuse' }) }
    },
    close: () => pool.destroy(),
  }
}

/** Ends a body that is not read. The library reports that as an error of the stream, which without a listener would end the process. */
function drop(body: Readable): void {
  body.on('error', () => {})
  body.destroy()
}
