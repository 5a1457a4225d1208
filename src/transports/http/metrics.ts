import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scrape } from '../../platform/metrics/worker-numbers.ts'
import type { Route } from './server.ts'

/** `GET /metrics` for a scraper that knows the token; without one the route is for a port of its own. */
export function metricsRoute(metrics: { scrape(): Promise<Scrape> }, token: string | undefined): Route {
  return async (request, response) => {
    if (token !== undefined && !isBearer(request.headers.authorization, token)) {
      response.writeHead(401, { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer realm="metrics"' })
      response.end('{"error":{"code":"AUTH_REQUIRED","message":"/metrics wants the token of metrics.token as a Bearer token"}}')
      return
    }
    if (request.method !== 'GET') {
      response.writeHead(405, { Allow: 'GET' }).end()
      return
    }
    const { contentType, body } = await metrics.scrape()
    response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body)
  }
}

/** Compared at the same cost whatever is right of it; lengths are no secret. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

export interface MetricsListener {
  readonly port: number
  close(): Promise<void>
}

/** Serves `/metrics` on an address of its own and nothing else. Rejects when the port is taken. */
export async function listenForScrapes(options: {
  readonly host: string
  readonly port: number
  readonly route: Route
  readonly onError: (error: unknown) => void
}): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    options.route(request, response, []).catch((error: unknown) => {
      options.onError(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
