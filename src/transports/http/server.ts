import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { bringsCredentials, type PeerOf } from '../../platform/net/peer.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { answerInOrder } from './answer-in-order.ts'
import { CALLERS, limitConnections, MAX_HEADER_BYTES } from './connection-limits.ts'
import { replyNothingHere, replyStarting } from './no-route.ts'
import { BodyIncomplete } from './read-body.ts'
import { refuseExposed } from './refuse-exposed.ts'
import { respondJson, securityHeaders } from './respond.ts'
import { createTlsServer, type TlsFiles } from './tls.ts'

/** Answers a request whose path it knows; the second argument holds what the path's pattern captured. */
export type Route = (request: IncomingMessage, response: ServerResponse, captured: readonly string[]) => Promise<void>

/**
 * A route that is worth microseconds: it waits for nothing where there is nothing to wait for, and writes its whole head at once,
 * the headers of every reply included.
 */
export interface BareRoute {
  readonly bare: (
    request: IncomingMessage,
    response: ServerResponse,
    captured: readonly string[],
    given: Given,
  ) => Promise<void> | undefined
}

export interface Given {
  /** The caller's, behind trusted proxies too. */
  readonly address: string
  /** Headers of every reply, names and values in turn. */
  readonly headers: readonly string[]
}

/** Paths and their handlers, first match wins. The query is not part of the match. */
export type Routes = readonly (readonly [pattern: RegExp, route: Route | BareRoute])[]

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

const LIMITS = { ...CALLERS, maxHeaderSize: MAX_HEADER_BYTES }

/** Binds the port and dispatches by path to the routes of the moment; none yet means 503. Resolves once connections are accepted; rejects when the port is taken. */
export async function listen(options: ListenOptions, routes: { readonly current: Routes }): Promise<Listener> {
  const { log, tls, peerOf } = options
  const fail = (response: ServerResponse, headers: readonly string[], error: unknown) => {
    if (error instanceof BodyIncomplete) {
      response.destroy()
      return
    }
    log.error({ err: error }, 'request failed')
    const { status = 500, headers: more } = error instanceof AdcpError ? (error.http ?? {}) : {}
    if (response.headersSent) {
      response.end()
      return
    }
    setHeaders(response, headers)
    respondJson(response, status, { error: { code: 'SERVICE_UNAVAILABLE', message: 'something went wrong here' } }, more)
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { channel, address = '' } = peerOf(request)
    const headers = securityHeaders(channel)
    if (namesTwoHosts(request)) {
      setHeaders(response, headers)
      const error = { code: 'INVALID_REQUEST', message: 'the Host header came more than once; send it once' }
      respondJson(response, 400, { error }, { Connection: 'close' })
      return
    }
    if (channel === 'plain' && bringsCredentials(request)) {
      log.warn({ peer: request.socket.remoteAddress }, 'credentials over plain HTTP refused')
      setHeaders(response, headers)
      refuseExposed(request, response)
      return
    }
    try {
      route(routes.current, request, response, { address, headers })?.catch((error: unknown) => fail(response, headers, error))
    } catch (error) {
      fail(response, headers, error)
    }
  }
  const server = tls ? createTlsServer(tls, LIMITS, log, answerInOrder(answer)) : createServer(LIMITS, answerInOrder(answer))
  server.keepAliveTimeout = 65_000
  limitConnections(server, CALLERS)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { server, port: (server.address() as AddressInfo).port, close: () => drain(server, options.drainMs) }
}

/** RFC 9112 §3.2: such a request is refused. Node would read the first of them, a proxy before it perhaps the other. */
function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let sent = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') sent += 1
  }
  return sent > 1
}

function route(routes: Routes, request: IncomingMessage, response: ServerResponse, given: Given): Promise<void> | undefined {
  const { url = '/' } = request
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  for (const [pattern, handle] of routes) {
    const match = pattern.exec(path)
    if (!match) continue
    if (typeof handle !== 'function') return handle.bare(request, response, match.slice(1), given)
    setHeaders(response, given.headers)
    return handle(request, response, match.slice(1))
  }
  setHeaders(response, given.headers)
  if (routes.length === 0) replyStarting(path, response)
  else replyNothingHere(path, response)
  return undefined
}

function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
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
