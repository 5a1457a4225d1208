import type { Route } from './server.ts'

/** A list is signed anew at most this often, however often it is asked for. */
const FRESH_MS = 60_000

/** `GET /.well-known/governance-revocations.json`: tokens that this governance agent took back, as a signed JWS (AdCP security). */
export function governanceRevocationsRoute(list: () => Promise<string>, clock: () => Date): Route {
  let cached: { readonly until: number; readonly body: Promise<string> } | undefined
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      return
    }
    const now = clock().getTime()
    if (!cached || now >= cached.until) cached = { until: now + FRESH_MS, body: list() }
    const body = await cached.body.catch((error: unknown) => {
      cached = undefined
      throw error
    })
    response.writeHead(200, { 'Content-Type': 'application/jose', 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
