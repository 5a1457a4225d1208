import type { Server } from 'node:http'
import { constants, type Http2SecureServer } from 'node:http2'
import { dropStuckReaders } from './stuck-readers.ts'

/** How long clients may take, in milliseconds; under the names that `node:http` and `node:tls` have for it. */
export interface Patience {
  /** For a whole request to arrive, and for its headers. */
  readonly requestTimeout: number
  readonly headersTimeout: number
  /** For a TLS handshake. */
  readonly handshakeTimeout: number
  /** How often the limits are looked at. */
  readonly connectionsCheckingInterval: number
  /** An answer of which nothing is taken for one to two of these ends with its connection. */
  readonly readerTimeout: number
}

/** Of callers of tasks, whose requests may have megabytes. */
export const CALLERS: Patience = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  handshakeTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  readerTimeout: 30_000,
}
/** Of those whose messages are small: servers, scrapers, and pages that are open. */
export const SMALL_MESSAGES: Patience = { ...CALLERS, requestTimeout: 10_000, headersTimeout: 5_000, handshakeTimeout: 5_000 }

/** What proxies let through. */
export const MAX_HEADER_BYTES = 16_384
/** An idle connection costs some ten kilobytes; beyond this number new ones are closed at once. */
const MAX_CONNECTIONS = 20_000

/** Bounds how many connections a server holds, and for how long those that send or read too slowly. Before it listens. */
export function limitConnections(server: Server, patience: Patience): void {
  server.maxConnections = MAX_CONNECTIONS
  dropStuckReaders(server, patience.readerTimeout)
}

/** {@link limitConnections} for HTTP/2 and the HTTP/1.1 beside it. */
export function limitSessions(server: Http2SecureServer, patience: Patience): void {
  const { requestTimeout, headersTimeout, connectionsCheckingInterval, readerTimeout } = patience
  server.maxConnections = MAX_CONNECTIONS
  // Not taken from the options of the constructor.
  Object.assign(server, { requestTimeout, headersTimeout, connectionsCheckingInterval })
  dropStuckReaders(server, readerTimeout)
  server.on('session', (session) => {
    // Also where something is written of which nothing is taken.
    session.setTimeout(2 * readerTimeout, () => {
      session.close()
      setTimeout(() => session.destroy(), headersTimeout).unref()
    })
    session.on('stream', (stream) => {
      const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestTimeout).unref()
      for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(late))
    })
  })
}
