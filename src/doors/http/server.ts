import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { AdcpError } from '../../errors.ts'
import { bringsCredentials, type PeerOf } from '../../net/peer.ts'
import { dropStuckReaders } from './stuck-readers.ts'
import { createTlsServer, type TlsFiles } from './tls.ts'

/** Answers a request whose path it knows; the second argument holds what the path's pattern captured. */
export type Route = (request: IncomingMessage, response: ServerResponse, captured: readonly string[]) => Promise<void>

/** Paths and their handlers, first match wins. The query is not part of the match. */
export type Routes = readonly (readonly [pattern: RegExp, route: Route])[]

export interface Listener {
  readonly port: number
  readonly server: Server
  /** Stops accepting, lets running calls finish for `drainMs`, then closes what is left. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly drainMs: number
  readonly log: Logger
  readonly peerOf: PeerOf
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined
}

/** Security headers of every reply (OWASP secure headers; replies are data, never documents). */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
}

const PLAIN_HEADERS = Object.entries(HEADERS)
/** Over https also RFC 6797; one year is what the preload lists ask for. Over plain HTTP browsers ignore it (§8.1). */
const HTTPS_HEADERS = [...PLAIN_HEADERS, ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as const]

/**
 * How long a request may take to arrive, whole and its headers; looked at often enough that the limits mean what they say. 16 KiB of
 * headers are what proxies let through.
 */
const LIMITS = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 }

/** An idle connection costs some ten kilobytes; beyond this number new ones are closed at once. */
const MAX_CONNECTIONS = 20_000

/** Binds the port and dispatches by path to the routes of the moment; none yet means 503. Resolves once connections are accepted; rejects when the port is taken. */
export async function listen(options: ListenOptions, routes: { readonly current: Routes }): Promise<Listener> {
  const { log, tls, peerOf } = options
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { channel } = peerOf(request)
    for (const [name, value] of channel === 'tls' || channel === 'proxy' ? HTTPS_HEADERS : PLAIN_HEADERS) {
      response.setHeader(name, value)
    }
    if (channel === 'plain' && bringsCredentials(request)) {
      log.warn({ peer: request.socket.remoteAddress }, 'credentials over plain HTTP refused')
      refuseExposed(request, response)
      return
    }
    route(routes.current, request, response).catch((error: unknown) => {
      log.error({ err: error }, 'request failed')
      const { status = 500, headers } = error instanceof AdcpError ? (error.http ?? {}) : {}
      if (!response.headersSent) response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
      response.end('{"error":{"code":"SERVICE_UNAVAILABLE","message":"something went wrong here"}}')
    })
  }
  const server = tls ? createTlsServer(tls, LIMITS, log, answer) : createServer(LIMITS, answer)
  server.keepAliveTimeout = 65_000
  server.maxConnections = MAX_CONNECTIONS
  dropStuckReaders(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { server, port: (server.address() as AddressInfo).port, close: () => drain(server, options.drainMs) }
}

const EXPOSED = {
  code: 'INVALID_REQUEST',
  message: 'credentials are accepted over TLS only; those just sent could be read on the way, so have them replaced',
  recovery: 'terminal',
}
const EXPOSED_BODY = JSON.stringify({ adcp_error: EXPOSED, errors: [EXPOSED], error: EXPOSED })

/**
 * Refuses credentials that anybody on the way could read (AdCP authentication page). Nothing is processed, and nothing in the
 * reply asks for the same again: no challenge, no redirect, no time to wait.
 */
function refuseExposed(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(403, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Connection: 'close' })
  response.end(EXPOSED_BODY)
}

async function route(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  for (const [pattern, handle] of routes) {
    const match = pattern.exec(path)
    if (match) return handle(request, response, match.slice(1))
  }
  if (routes.length === 0) {
    response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' })
    response.end('{"error":{"code":"SERVICE_UNAVAILABLE","message":"starting"}}')
    return
  }
  response.writeHead(404, { 'Content-Type': 'application/json' })
  response.end('{"error":{"code":"REFERENCE_NOT_FOUND","message":"there is nothing at this address"}}')
}

function drain(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
