import { type MatchPackage, packagesOfSeller } from '../../domain/trusted-match/match-package.ts'
import { MatchRefusal } from '../../domain/trusted-match/match-refusal.ts'

/**
 * The packages of a provider, as they are when a request comes. Throws MatchRefusal: `provider_unavailable` when they cannot be read, `unknown_package` when
 * the request names packages and its seller has none of them here, so that a sync that is missing is not taken for a match that is none.
 */
export async function knownPackages<Package extends MatchPackage>(
  load: () => Promise<readonly Package[]>,
  request: { readonly seller_agent_url: string; readonly package_ids?: readonly string[] },
): Promise<readonly Package[]> {
  const packages = await load().catch((error: unknown) => {
    throw new MatchRefusal('provider_unavailable', 'the packages cannot be read now; try again later', error)
  })
  const names = request.package_ids ?? []
  if (names.length > 0 && packagesOfSeller(packages, request).length === 0)
    throw new MatchRefusal('unknown_package', 'the seller has synced none of these package_ids; sync them first')
  return packages
}
