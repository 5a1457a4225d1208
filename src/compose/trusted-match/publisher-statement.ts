import { agentKey } from '../../domain/directory/agent-url.ts'
import { ownAgents } from '../../domain/directory/claim.ts'
import { Discoverer } from '../../features/directory/discover.ts'
import type { PublisherStatement } from '../../features/trusted-match/seller-authorization.ts'
import { atOnce } from '../../platform/concurrency/steps.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'

/** Claims are worked out once for each second: files of large networks have thousands of entries, and windows end at a time. */
const SECOND_MS = 1_000

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
    let claimed: { second: number; agents: ReadonlySet<string> } = { second: Number.NaN, agents: new Set() }
    return {
      authorises(agentUrl, now) {
        const second = Math.floor(now / SECOND_MS)
        if (claimed.second !== second) claimed = { second, agents: atOnce(ownAgents(index, route, now)) }
        const key = agentKey(agentUrl)
        return key !== undefined && claimed.agents.has(key)
      },
    }
  }
}
