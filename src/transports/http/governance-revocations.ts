import { readsOnly, respond } from './respond.ts'
import type { Route } from './server.ts'

/** A list is signed anew at most this often, however often it is asked for. */
const FRESH_MS = 60_000

/** `GET /.well-known/governance-revocations.json`: tokens that this governance agent took back, as a signed JWS (AdCP security). */
export function governanceRevocationsRoute(list: () => Promise<string>, clock: () => Date): Route {
  let cached: { readonly until: number; readonly body: Promise<string> } | undefined
  return async (request, response) => {
    if (!readsOnly(request, response)) return
    const now = clock().getTime()
    if (!cached || now >= cached.until) cached = { until: now + FRESH_MS, body: list() }
    const body = await cached.body.catch((error: unknown) => {
      cached = undefined
      throw error
    })
    const headers = { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` }
    respond(response, 200, { type: 'application/jose', body, headers })
  }
}
