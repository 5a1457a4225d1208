import { type MatchRequest, replyJson, replyRefusal } from './match-exchange.ts'
import type { MatchRoute } from './match-route.ts'

export interface HealthRouteParts {
  /** Rejects when this program cannot answer requests now. */
  readonly check: () => Promise<unknown>
  /** Milliseconds that the sender has to wait; undefined: it may ask now. */
  readonly waitOf: (request: MatchRequest) => number | undefined
}

/** `GET …/health`: that requests can be answered, or 503. It says nothing else, whatever the reason is. */
export function healthRoute({ check, waitOf }: HealthRouteParts): MatchRoute {
  return async (request, response) => {
    const waitMs = waitOf(request)
    if (waitMs !== undefined) {
      response.setHeader('retry-after', Math.ceil(waitMs / 1000))
      return replyRefusal(response, 429, 'Ask for the health once a second at most.')
    }
    const isReady = await check().then(
      () => true,
      () => false,
    )
    if (isReady) replyJson(response, { status: 'ok' })
    else replyRefusal(response, 503, 'Not ready.')
  }
}
