import { addressBucket } from '../../platform/net/client-address.ts'
import { fixedWindows } from '../../platform/net/fixed-window.ts'
import { connectionAddress, type MatchRequest } from '../../transports/trusted-match/match-exchange.ts'

/** One request a second from each address, ten of them at once (Trusted Match specification, "Provider registration security", `/health`). */
const LIMIT = { requests: 10, windowMs: 10_000 }

/** Milliseconds that the sender of a request for the health has to wait; undefined: it may ask now. `addressOf`: default the other end of the connection. */
export function healthLimit(
  addressOf: (request: MatchRequest) => string | undefined = connectionAddress,
): (request: MatchRequest) => number | undefined {
  const windows = fixedWindows(LIMIT.requests, LIMIT.windowMs)
  return (request) => windows(addressBucket(addressOf(request) ?? ''))
}
