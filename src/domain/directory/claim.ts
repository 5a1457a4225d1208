import type { Steps } from '../../platform/concurrency/steps.ts'
import { domainsOf, type FileIndex, grantsInSteps, type SellingTimes, sellingTimes } from './resolve.ts'

/** How a row was found, strongest first (AdCP publisher directory page). */
export const DISCOVERY_METHODS = ['direct', 'authoritative_location', 'adagents_authoritative', 'ads_txt_managerdomain'] as const
export type DiscoveryMethod = (typeof DISCOVERY_METHODS)[number]

/** How the discovery walk of a publisher itself ends at a file. */
export const ROUTE_METHODS = DISCOVERY_METHODS.filter((method) => method !== 'adagents_authoritative')
export type RouteMethod = (typeof ROUTE_METHODS)[number]

/** One file's statement that an agent may sell at least one property of a publisher. */
export interface Claim {
  readonly agent: string
  readonly publisher: string
  readonly method: DiscoveryMethod
  /** Host that manages the file; null exactly when the method is `direct`. */
  readonly manager: string | null
  readonly propertyIds: readonly string[]
  readonly total: number
  readonly pinned: boolean
}

/** Writes the ids of claims as JSON; one text for all claims that share a list. */
export function idsWriter(): (ids: readonly string[]) => string {
  const texts = new WeakMap<readonly string[], string>()
  return (ids) => {
    const text = texts.get(ids) ?? JSON.stringify(ids)
    texts.set(ids, text)
    return text
  }
}

/** How a publisher's own discovery walk reached the file. */
export interface OwnRoute {
  readonly publisher: string
  readonly method: Exclude<DiscoveryMethod, 'adagents_authoritative'>
  readonly manager: string | null
}

/**
 * Claims of the file that a publisher's own walk ends at. Reached through ads.txt, a file must name the publisher on the
 * property: the ads.txt line alone says nothing about scope, and each agent needs scope of its own.
 * `agent`: only those of this one (canonical key). Source: AdCP publisher directory page (managerdomain safety rule).
 */
export function* ownClaims(index: FileIndex, route: OwnRoute, now: number, agent?: string): Steps<readonly Claim[]> {
  const grants = yield* grantsInSteps(index, { ...ownQuery(route, now), ...(agent !== undefined && { agent }) })
  return grants.map((grant) => ({
    agent: grant.agent,
    publisher: route.publisher,
    method: route.method,
    manager: route.manager,
    propertyIds: grant.propertyIds,
    total: grant.total,
    pinned: grant.pinned,
  }))
}

/** When {@link ownClaims} has claims of agents, by their canonical keys. */
export function ownSellingTimes(index: FileIndex, { publisher, method }: OwnRoute): Steps<SellingTimes> {
  return sellingTimes(index, { publisher, impliedByLocation: method !== 'ads_txt_managerdomain' })
}

function ownQuery({ publisher, method }: OwnRoute, now: number) {
  return { publisher, impliedByLocation: method !== 'ads_txt_managerdomain', now }
}

/**
 * Claims of a file for the other publishers whose properties it carries. `host` is where the file was fetched from: it
 * is the manager of each claim and no child of itself. `only`: claims of this agent (canonical key) for this publisher. Source: AdCP publisher directory page.
 */
export function* fanOutClaims(
  index: FileIndex,
  host: string,
  now: number,
  only?: { readonly agent: string; readonly publisher: string },
): Steps<readonly Claim[]> {
  const claims: Claim[] = []
  for (const publisher of only ? [only.publisher] : domainsOf(index)) {
    if (publisher === host) continue
    const query = { publisher, impliedByLocation: false, now, ...(only && { agent: only.agent }) }
    for (const grant of yield* grantsInSteps(index, query)) {
      claims.push({
        agent: grant.agent,
        publisher,
        method: 'adagents_authoritative',
        manager: host,
        propertyIds: grant.propertyIds,
        total: grant.total,
        pinned: grant.pinned,
      })
    }
  }
  return claims
}
