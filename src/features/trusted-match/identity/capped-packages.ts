import type { IdentityPackage } from '../../../domain/trusted-match/identity/eligible-packages.ts'
import type { CapPolicy, Exposure } from '../../../domain/trusted-match/identity/frequency-caps.ts'
import { capRule, firedCaps } from '../../../domain/trusted-match/identity/frequency-caps.ts'

/** What is stored of users, by the keys of their tokens. */
export interface CapState {
  readonly policies: () => Promise<readonly CapPolicy[]>
  /** Impressions of any of these tokens since a time (milliseconds). */
  since(keys: readonly string[], from: number): Promise<readonly Exposure[]>
  /** A seller's packages that were held back from any of these tokens until a time that is to come, by which rules (`capRule`). */
  heldBack(
    keys: readonly string[],
    seller: string,
    now: Date,
  ): Promise<readonly { readonly packageId: string; readonly rule: string }[]>
}

/**
 * Finds which packages of one seller a frequency cap holds back from a user now: those that a rule of the moment held back before, and those whose cap the
 * user's impressions use up by these rules. So a cap that is raised, lowered, moved or taken away counts at once (identity match implementation, "Policy
 * updates and cap-state re-evaluation"). What is stored is needed too: impressions of other tokens of the user, and older ones than are stored.
 */
export function cappedPackagesFinder({ policies, since, heldBack }: CapState) {
  return async (
    keys: readonly string[],
    { seller, candidates, now }: { readonly seller: string; readonly candidates: readonly IdentityPackage[]; readonly now: Date },
  ): Promise<ReadonlySet<string>> => {
    const labels = new Set(candidates.flatMap(({ user }) => user.capLabels))
    const asked = (await policies()).filter(({ label }) => labels.has(label))
    if (keys.length === 0 || asked.length === 0) return new Set()
    const longest = Math.max(...asked.map(({ windowMs, bucketMs }) => windowMs + bucketMs))
    const [exposures, held] = await Promise.all([
      since(keys, Number.isFinite(longest) ? now.getTime() - longest : 0),
      heldBack(keys, seller, now),
    ])
    const fired = new Set(firedCaps(asked, exposures, now.getTime()).map(({ label }) => label))
    const labelOf = new Map(asked.map((policy) => [capRule(policy), policy.label]))
    const before = new Map(candidates.map(({ packageId }) => [packageId, new Set<string>()]))
    for (const { packageId, rule } of held) {
      const label = labelOf.get(rule)
      if (label !== undefined) before.get(packageId)?.add(label)
    }
    const isCapped = ({ packageId, user: { capLabels } }: IdentityPackage) =>
      capLabels.some((label) => fired.has(label) || before.get(packageId)?.has(label))
    return new Set(candidates.filter(isCapped).map(({ packageId }) => packageId))
  }
}
