import type { IncomingMessage } from 'node:http'
import type { RateLimit } from '../../platform/net/rate-limit.ts'
import type { Route } from '../http/server.ts'
import { replyError } from './ad-reply.ts'

/** Limits of the embedded ad server by address. */
export interface AdLimits {
  readonly decisions: RateLimit
  /** Events, clicks and documents of ads. */
  readonly events: RateLimit
  /** Whose limit a request counts for; undefined where nothing is counted. */
  readonly bucketOf: (request: IncomingMessage) => string | undefined
}

/** Puts a limit before a route: what goes past it is answered with RATE_LIMITED (HTTP 429 with `Retry-After`). */
export function limitedRoute(count: RateLimit, bucketOf: AdLimits['bucketOf'], route: Route): Route {
  return async (request, response, captured) => {
    const bucket = bucketOf(request)
    try {
      if (bucket !== undefined) await count(bucket)
    } catch (error) {
      return replyError(response, error)
    }
    return route(request, response, captured)
  }
}
