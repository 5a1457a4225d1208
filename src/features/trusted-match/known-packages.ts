import type { MatchPackage } from '../../domain/trusted-match/match-package.ts'
import { MatchRefusal } from '../../domain/trusted-match/match-refusal.ts'

/** The packages of a provider, as they are when a request comes. Throws MatchRefusal `provider_unavailable` when they cannot be read. */
export async function knownPackages<Package extends MatchPackage>(
  load: () => Promise<readonly Package[]>,
): Promise<readonly Package[]> {
  try {
    return await load()
  } catch (error) {
    throw new MatchRefusal('provider_unavailable', 'the packages cannot be read now; try again later', error)
  }
}
