import { canonicalUrl } from '../canonical-url.ts'

/** A package of an active media buy, as a provider knows it (trusted-match/available-package.json). */
export interface MatchPackage {
  readonly packageId: string
  readonly mediaBuyId: string
  /** Seller agent that sold it, in canonical form. */
  readonly sellerAgentUrl: string
  /** ISO 8601 UTC; absent: no limit on that side. */
  readonly startsAt?: string
  readonly endsAt?: string
}

/** Whether the flight of a package covers a moment. */
export function isRunning({ startsAt, endsAt }: Pick<MatchPackage, 'startsAt' | 'endsAt'>, now: Date): boolean {
  const at = now.toISOString()
  return (startsAt === undefined || startsAt <= at) && (endsAt === undefined || at < endsAt)
}

/** The form in which sellers are compared (AdCP url-canonicalization); undefined for what is no absolute http(s) URL. */
export function canonicalSeller(url: string): string | undefined {
  try {
    return canonicalUrl(url).targetUri
  } catch {
    return undefined
  }
}

/** The packages of the seller that a request names. Another seller's are never evaluated (specification, "Seller Agent Attribution"). */
export function packagesOfSeller<Package extends MatchPackage>(
  packages: readonly Package[],
  { seller_agent_url, package_ids }: { readonly seller_agent_url: string; readonly package_ids?: readonly string[] },
): readonly Package[] {
  const seller = canonicalSeller(seller_agent_url)
  if (seller === undefined) return []
  const wanted = package_ids && new Set(package_ids)
  return packages.filter(({ sellerAgentUrl, packageId }) => sellerAgentUrl === seller && (wanted?.has(packageId) ?? true))
}
