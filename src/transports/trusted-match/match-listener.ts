import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { AdcpError } from '../../protocol/errors.ts'
import { limitConnections, limitSessions, MAX_HEADER_BYTES, type Patience, SMALL_MESSAGES } from '../http/connection-limits.ts'
import { CIPHERS } from '../http/tls.ts'
import type { MatchRequest, MatchResponse } from './match-exchange.ts'
import { replyRefusal } from './match-exchange.ts'
import type { MatchRoute } from './match-route.ts'

export interface MatchListenerOptions {
  readonly host: string
  readonly port: number
  /** Paths of PEM files; absent: plain HTTP/1.1, for a proxy that ends TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly drainMs: number
  readonly onFailure: (error: unknown) => void
  readonly patience?: Patience
}

export interface MatchListener {
  readonly port: number
  /** Stops accepting, lets running requests finish for `drainMs`, then closes what is left. */
  close(): Promise<void>
}

const HTTP2 = { maxSessionMemory: 10, settings: { maxConcurrentStreams: 200, maxHeaderListSize: MAX_HEADER_BYTES } }

/**
 * Listens with HTTP/2 where there is a certificate, HTTP/1.1 included, and dispatches by the whole path. Rejects when the port is taken, and with
 * CONFIGURATION_ERROR for files of TLS that cannot be used.
 */
export async function listenForMatches(
  { host, port, tls, drainMs, onFailure, patience = SMALL_MESSAGES }: MatchListenerOptions,
  routes: ReadonlyMap<string, MatchRoute>,
): Promise<MatchListener> {
  const answer = (request: MatchRequest, response: MatchResponse) => {
    const route = routes.get((request.url ?? '/').split('?', 1)[0] ?? '/')
    if (!route) return replyRefusal(response, 404, 'There is nothing at this address.')
    route(request, response).catch((error: unknown) => {
      onFailure(error)
      if (!response.headersSent) replyRefusal(response, 503, 'Something went wrong here.')
    })
  }
  const server = tls ? secureServer(tls, patience, answer) : plainServer(patience, answer)
  const open = new Set<Socket>()
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { port: (server.address() as AddressInfo).port, close: () => drain(server, open, drainMs) }
}

function plainServer(patience: Patience, answer: (request: MatchRequest, response: MatchResponse) => void): Server {
  const server = createServer({ ...patience, maxHeaderSize: MAX_HEADER_BYTES }, answer)
  limitConnections(server, patience)
  return server
}

function secureServer(
  { cert, key }: { readonly cert: string; readonly key: string },
  patience: Patience,
  answer: (request: MatchRequest, response: MatchResponse) => void,
): Http2SecureServer {
  try {
    const context = { cert: readFileSync(cert), key: readFileSync(key), minVersion: 'TLSv1.2', ciphers: CIPHERS } as const
    const { handshakeTimeout } = patience
    const server = createSecureServer({ ...HTTP2, ...context, handshakeTimeout, allowHTTP1: true }, answer)
    limitSessions(server, patience)
    return server
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `tls.cert and tls.key have to name PEM files of a certificate and its private key (${reason})`
    throw new AdcpError('CONFIGURATION_ERROR', message, { field: 'tls', cause })
  }
}

function drain(server: Server | Http2SecureServer, open: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      for (const socket of open) socket.destroy()
    }, drainMs)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    if ('closeIdleConnections' in server) server.closeIdleConnections()
  })
}
