import { agentKey } from '../../domain/directory/agent-url.ts'
import { type DiscoveryMethod, ownClaims } from '../../domain/directory/claim.ts'
import type { FileForm } from '../../domain/directory/file-form.ts'
import { publisherDomain } from '../../domain/directory/publisher-domain.ts'
import {
  refusal,
  type Verification,
  type VerifyOptions,
  verifyAgentAuthorization as verifyAt,
} from '../../domain/directory/verify.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { Discoverer } from './discover.ts'

/**
 * Checks one decoded adagents.json: does it let the agent sell at least one property now (or at `now`)? Give the domain
 * that served the file as `publisherDomain`: then only its own properties count. Never throws.
 * Source: AdCP publisher directory page (verify_agent_authorization).
 */
export function verifyAgentAuthorization(
  adagents: unknown,
  agentUrl: string,
  options: Partial<VerifyOptions> = {},
): Verification {
  return verifyAt(adagents, agentUrl, { ...options, now: options.now ?? new Date() })
}

/** What one publisher's own discovery says about an agent. */
export type PublisherAuthorization =
  | {
      readonly authorized: true
      readonly publisherDomain: string
      readonly discoveryMethod: DiscoveryMethod
      readonly managerDomain: string | null
      readonly propertyIds: readonly string[]
      readonly propertiesTotal: number
      readonly signingKeysPinned: boolean
      readonly fileForm: FileForm
    }
  | {
      readonly authorized: false
      readonly publisherDomain: string
      readonly servesFile: boolean
      /** False: the publisher could not be asked (unreachable, a fault of the server, too large, too late), so it is unknown what it authorises. */
      readonly answered: boolean
      readonly reason: string
    }

export interface AuthorizationOptions {
  /** Outbound fetch; `createSafeFetch` makes one. */
  readonly fetch: SafeFetch
  /** Publishers asked at once. Default 20. */
  readonly concurrency?: number
  /** The moment the answer is about. Default: now. */
  readonly now?: Date
}

/**
 * Asks the given publishers themselves, following pointer and ads.txt, and resolves the agent in each. Domains that
 * cannot be asked are not `authorized`, and not `answered`, with the reason; none spoils another. Throws INVALID_REQUEST for a bad agent URL or domain.
 * Source: AdCP publisher directory page (fetch_agent_authorizations).
 */
export async function fetchAgentAuthorizations(
  agentUrl: string,
  domains: readonly string[],
  options: AuthorizationOptions,
): Promise<ReadonlyMap<string, PublisherAuthorization>> {
  const agent = requireAgent(agentUrl)
  const wanted = [...new Set(domains.map(requireDomain))]
  const discoverer = new Discoverer(options.fetch)
  const now = options.now ?? new Date()
  const answers = await mapConcurrently(wanted, options.concurrency ?? 20, (domain) =>
    authorizationOf(discoverer, agent, domain, now),
  )
  return new Map(answers.map((answer) => [answer.publisherDomain, answer]))
}

/** What one publisher's own discovery says about an agent (canonical key). */
export async function authorizationOf(
  discoverer: Discoverer,
  agent: string,
  domain: string,
  now: Date,
): Promise<PublisherAuthorization> {
  const discovery = await discoverer.discover(domain)
  if (discovery.route === undefined) {
    const { servesFile, answered, reason } = discovery
    return { authorized: false, publisherDomain: domain, servesFile, answered, reason }
  }
  const { index, route, url } = discovery
  const [claim] = await inTurns(ownClaims(index, route, now.getTime(), agent))
  if (!claim) {
    const servesFile = route.method !== 'ads_txt_managerdomain'
    const [, detail] = refusal(index, undefined, { agent, publisher: domain, now: now.getTime() })
    return { authorized: false, publisherDomain: domain, servesFile, answered: true, reason: `${url}: ${detail}` }
  }
  return {
    authorized: true,
    publisherDomain: domain,
    discoveryMethod: claim.method,
    managerDomain: claim.manager,
    propertyIds: claim.propertyIds,
    propertiesTotal: claim.total,
    signingKeysPinned: claim.pinned,
    fileForm: index.file.isShortForm ? 'short' : 'official',
  }
}

/** Runs `work` over items, at most `concurrency` at once, keeping their order. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}

/** The canonical key of an agent. Throws INVALID_REQUEST. */
export function requireAgent(agentUrl: string): string {
  const agent = agentKey(agentUrl)
  if (agent === undefined)
    throw new AdcpError('INVALID_REQUEST', 'agent_url must be an absolute http(s) URL', { field: 'agent_url' })
  return agent
}

function requireDomain(text: string): string {
  const domain = publisherDomain(text)
  if (domain === undefined) throw new AdcpError('INVALID_REQUEST', 'a publisher domain is not a domain', { field: 'domains' })
  return domain
}
