import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scrape } from '../../platform/metrics/worker-numbers.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { JudgeToken } from '../../security/auth/judge-token.ts'
import { limitConnections, MAX_HEADER_BYTES, type Patience, SMALL_MESSAGES } from './connection-limits.ts'
import { respond, respondEmpty, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/** Who may scrape: callers with the token; too many wrong ones from one address have to wait. */
interface ScrapeAccess {
  readonly token: string
  readonly judgeToken: JudgeToken
}

/** `GET /metrics` for a scraper that knows the token; without one the route is for a port of its own. */
export function metricsRoute(metrics: { scrape(): Promise<Scrape> }, access?: ScrapeAccess): Route {
  return async (request, response) => {
    const isAllowed = access === undefined || (await mayScrape(request, access).catch(asRefusal))
    if (isAllowed instanceof AdcpError) {
      const { code, message, http } = isAllowed
      respondJson(response, http?.status ?? 429, { error: { code, message } }, http?.headers)
      return
    }
    if (!isAllowed) {
      const error = { code: 'AUTH_REQUIRED', message: '/metrics wants the token of metrics.token as a Bearer token' }
      respondJson(response, 401, { error }, { 'WWW-Authenticate': 'Bearer realm="metrics"' })
      return
    }
    if (request.method !== 'GET') {
      respondEmpty(response, 405, { Allow: 'GET' })
      return
    }
    const { contentType, body } = await metrics.scrape()
    respond(response, 200, { type: contentType, body })
  }
}

function asRefusal(error: unknown): AdcpError {
  if (error instanceof AdcpError) return error
  throw error
}

/** Whether the token is right. Throws RATE_LIMITED after too many wrong ones. */
async function mayScrape(request: IncomingMessage, { token, judgeToken }: ScrapeAccess): Promise<boolean> {
  const { authorization } = request.headers
  if (authorization === undefined) return false
  return (await judgeToken(request, async () => isBearer(authorization, token) || undefined)) === true
}

/** Compared at the same cost whatever is right of it; lengths are no secret. */
function isBearer(header: string, token: string): boolean {
  const given = Buffer.from(header)
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
  readonly patience?: Patience
}): Promise<MetricsListener> {
  const { patience = SMALL_MESSAGES } = options
  const server = createServer({ ...patience, maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      respondEmpty(response, 404)
      return
    }
    options.route(request, response, []).catch((error: unknown) => {
      options.onError(error)
      if (response.headersSent) response.end()
      else respondEmpty(response, 500)
    })
  })
  limitConnections(server, patience)
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
