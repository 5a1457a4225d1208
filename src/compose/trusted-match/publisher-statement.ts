import { agentKey } from '../../domain/directory/agent-url.ts'
import { ownSellingTimes } from '../../domain/directory/claim.ts'
import { isInEffect } from '../../domain/directory/resolve.ts'
import { Discoverer } from '../../features/directory/discover.ts'
import type { PublisherStatement } from '../../features/trusted-match/seller-authorization.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'

/**
 * Reads whom the adagents.json of a domain authorises: its own file or the one it points at, one hop, without redirects (specification, "Sync-Time
 * Validation"). What an ads.txt leads to is not taken. Never rejects.
 */
export function publisherStatements(fetch: SafeFetch): (domain: string) => Promise<PublisherStatement> {
  const direct: SafeFetch = (url, request) =>
    fetch(url, { ...request, policy: { ...request.policy, redirects: 'none', maxRedirects: 0 } })
  return async (domain) => {
    const discovery = await new Discoverer(direct).discover(domain)
    if (discovery.route === undefined) return { reason: discovery.reason }
    const { route, index } = discovery
    if (route.method === 'ads_txt_managerdomain') return { reason: 'the domain serves no adagents.json' }
    const times = await inTurns(ownSellingTimes(index, route))
    return {
      authorises(agentUrl, now) {
        const key = agentKey(agentUrl)
        return key !== undefined && (times.get(key)?.some((window) => isInEffect(window, now)) ?? false)
      },
    }
  }
}
