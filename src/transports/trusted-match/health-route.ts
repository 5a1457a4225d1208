import { addressBucket } from '../../platform/net/client-address.ts'
import { fixedWindows } from '../../platform/net/fixed-window.ts'
import { type MatchRequest, replyJson, replyRefusal } from './match-exchange.ts'
import type { MatchRoute } from './match-route.ts'

export interface HealthRouteParts {
  /** Rejects when this program cannot answer requests now. */
  readonly check: () => Promise<unknown>
  /** Where a request comes from; default: the other end of its connection. */
  readonly addressOf?: (request: MatchRequest) => string | undefined
}

/** One request a second from each address, ten of them at once (specification, "Provider registration security", `/health`). */
const LIMIT = { requests: 10, windowMs: 10_000 }

/** `GET …/health`: that requests can be answered, or 503. It says nothing else, whatever the reason is. */
export function healthRoute({ check, addressOf = peerAddress }: HealthRouteParts): MatchRoute {
  const limit = fixedWindows(LIMIT.requests, LIMIT.windowMs)
  return async (request, response) => {
    const waitMs = limit(addressBucket(addressOf(request) ?? ''))
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

function peerAddress({ socket }: MatchRequest): string | undefined {
  return socket.remoteAddress
}
