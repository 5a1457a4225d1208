import type { TargetingOverlay } from '../../product/targeting-overlay.ts'
import type { UserRules } from './eligible-packages.ts'
import { type CapPolicy, windowMs } from './frequency-caps.ts'

/** Caps of bought packages roll on by the second, as AdCP core/frequency-cap.json means them. */
const BUCKET_MS = 1000

/**
 * What a bought package asks of users. `sellerIdOf` gives our id of one of the buyer's audiences; one that is unknown has no members. The label of a
 * cap is the package's own id.
 */
export function userRulesOf(
  packageId: string,
  targeting: TargetingOverlay | undefined,
  sellerIdOf: (audienceId: string) => string | undefined,
): UserRules {
  const { audience_include: include, audience_exclude: exclude } = targeting ?? {}
  const known = (ids: readonly string[]) => ids.map((id) => sellerIdOf(id) ?? '').filter((id) => id !== '')
  return {
    ...(include && { audiences: known(include) }),
    ...(exclude && { audiencesExcluded: known(exclude) }),
    capLabels: capPoliciesOf(packageId, targeting).length > 0 ? [packageId] : [],
  }
}

/** The limits of a package's `frequency_cap`; a cooldown is one impression in its window. */
export function capPoliciesOf(label: string, targeting: TargetingOverlay | undefined): readonly CapPolicy[] {
  const { suppress, suppress_minutes, max_impressions, window } = targeting?.frequency_cap ?? {}
  const limit = (most: number, lengthMs: number): CapPolicy => ({ label, most, windowMs: lengthMs, bucketMs: BUCKET_MS })
  return [
    ...(suppress ? [limit(1, windowMs(suppress))] : []),
    ...(suppress_minutes ? [limit(1, suppress_minutes * 60_000)] : []),
    ...(max_impressions !== undefined && window ? [limit(max_impressions, windowMs(window))] : []),
  ]
}
