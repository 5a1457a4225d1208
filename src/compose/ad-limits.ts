import type { Config } from '../config/config.ts'
import { addressBucket } from '../platform/net/client-address.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import { createRateLimit, processCounters } from '../platform/net/rate-limit.ts'
import { exemptFromLimits } from '../security/auth/call-limits.ts'
import type { AdLimits } from '../transports/ads/ad-limits.ts'

/**
 * Limits of the embedded ad server by address (IPv6 by its /64). Each process counts alone: asking another one would cost more than a decision does,
 * and a limit that is too high by the number of processes still ends a flood.
 */
export function adLimits(config: Config, peerOf: PeerOf): AdLimits {
  const { decisionsPerAddress, eventsPerAddress, windowSeconds } = config.ads
  const isExempt = exemptFromLimits(config)
  const limitOf = (name: string, what: string, limit: number) =>
    createRateLimit({ name, what, limit, windowSeconds, scope: 'global', counters: processCounters })
  return {
    decisions: limitOf('ad-decisions', 'requests for ads', decisionsPerAddress),
    events: limitOf('ad-events', 'events of ads', eventsPerAddress),
    bucketOf(request) {
      const { address } = peerOf(request)
      return isExempt(address) ? undefined : addressBucket(address ?? '')
    },
  }
}
