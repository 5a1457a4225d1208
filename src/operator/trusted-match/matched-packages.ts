import { unmatchedReasons } from '../../domain/trusted-match/why-unmatched.ts'
import { readPackageSupply } from '../../store/trusted-match/active-packages.ts'
import type { ActContext } from '../act.ts'
import { about, integer, type Of, object } from '../shape.ts'

/** Packages of orders in flight, by whether providers match them. */
export const packagesShape = about(
  'packages of orders in flight: those that active providers match, and why the others are not matched; absent of a provider that is not active',
  object({
    matched: integer,
    sandbox: about('of sandbox buyers, whose orders are simulated', integer),
    without_creative: about('they need creatives, and none is approved', integer),
    resting: about('paused, canceled, or outside their own flight', integer),
  }),
)

/** Those of the publisher that the act is about. */
export async function readPackages({ store, tenantId, clock }: ActContext): Promise<Of<typeof packagesShape>> {
  const { withoutCreative, ...supply } = await readPackageSupply(store.read, tenantId, clock())
  return { ...supply, without_creative: withoutCreative }
}

/** `2 matched`, or `0 matched; not: 3 of sandbox buyers (simulated)`. */
export function packagesText({ without_creative: withoutCreative, ...packages }: Of<typeof packagesShape>): string {
  const reasons = unmatchedReasons({ ...packages, withoutCreative })
  return `${packages.matched} matched${reasons.length === 0 ? '' : `; not: ${reasons.join(', ')}`}`
}
