import { createHash } from 'node:crypto'
import type { SuspensionReason } from '../audience/audience.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import { isTerminal } from './lifecycle.ts'
import type { CreativeFact, CreativeFacts, MediaBuy, OfflineAudience, Package } from './media-buy.ts'

/** A dependency of a buy that is offline (AdCP 3.1, core/impairment.json). */
export interface Impairment {
  readonly impairment_id: string
  readonly resource_type: 'creative' | 'audience'
  readonly resource_id: string
  readonly package_ids: readonly [string, ...string[]]
  readonly transition: { readonly to: 'suspended' | 'rejected' }
  readonly reason_code: 'content_rejected' | 'seller_removed' | SuspensionReason
  readonly reason?: string
  readonly remediation?: string
  readonly observed_at: string
}

/** Longest reason that the schema takes, characters. */
const MAX_REASON = 500

/**
 * The creatives that are offline and without which a package cannot serve, and the audiences that are offline and that a package targets, one entry each, oldest
 * first (AdCP media-buy lifecycle, "Health and dependency impairment"): a package with another approved creative is not impaired, and one whose last creative was taken off in its flight is. Empty for a
 * buy that is over.
 */
export function impairmentsOf(buy: MediaBuy, status: MediaBuyStatus, creatives: CreativeFacts): readonly Impairment[] {
  if (isTerminal(status)) return []
  const found = new Map<string, { fact: CreativeFact; packageIds: string[] }>()
  for (const { packageId, cancellation, needsCreatives } of buy.packages) {
    const facts = creatives.get(packageId) ?? []
    if (cancellation || !needsCreatives || facts.some(({ approval }) => approval === 'approved')) continue
    for (const fact of facts) {
      if (!fact.offline) continue
      const entry = found.get(fact.creativeId) ?? { fact, packageIds: [] }
      found.set(fact.creativeId, { fact, packageIds: [...entry.packageIds, packageId] })
    }
  }
  const offline = [...found.values()].flatMap(({ fact, packageIds }) => present(buy.mediaBuyId, fact, packageIds))
  const taken = buy.packages.flatMap((pkg) => takenOff(buy.mediaBuyId, pkg, creatives.get(pkg.packageId) ?? []))
  return [...offline, ...taken, ...audienceImpairments(buy)].toSorted((a, b) => a.observed_at.localeCompare(b.observed_at))
}

/**
 * The creative that was taken off last of a package that has served in its flight and has no other. No reason code is about assignments
 * (enums/impairment-reason-code.json): `seller_removed` is the one for what is in order and no longer used, and `reason` says what happened.
 */
function takenOff(mediaBuyId: string, pkg: Package, facts: readonly CreativeFact[]): Impairment[] {
  const { packageId, cancellation, needsCreatives, pastServing, terms } = pkg
  if (cancellation || !needsCreatives || facts.length > 0) return []
  if (pastServing.some(({ until }) => until === undefined)) return []
  const [last] = pastServing.toSorted((a, b) => (b.until ?? '').localeCompare(a.until ?? ''))
  const { creativeId, until } = last ?? {}
  if (creativeId === undefined || until === undefined || Date.parse(until) <= Date.parse(terms.startsAt)) return []
  return [
    {
      impairment_id: impairmentId([mediaBuyId, packageId, creativeId, until]),
      resource_type: 'creative',
      resource_id: creativeId,
      package_ids: [packageId],
      transition: { to: 'suspended' },
      reason_code: 'seller_removed',
      reason: 'no longer assigned, and nothing else is: nothing of the package serves',
      remediation: 'assign a creative that is approved to the package',
      observed_at: until,
    },
  ]
}

function audienceImpairments({ mediaBuyId, packages }: MediaBuy): readonly Impairment[] {
  const found = new Map<string, { audience: OfflineAudience; packageIds: string[] }>()
  for (const { packageId, cancellation, targetingOverlay, offlineAudiences = [] } of packages) {
    if (cancellation) continue
    for (const audience of offlineAudiences) {
      if (!targetingOverlay?.audience_include?.includes(audience.audienceId)) continue
      const entry = found.get(audience.audienceId) ?? { audience, packageIds: [] }
      found.set(audience.audienceId, { audience, packageIds: [...entry.packageIds, packageId] })
    }
  }
  return [...found.values()].flatMap(({ audience: { audienceId, since, reasonCode }, packageIds: [first, ...others] }) =>
    first === undefined
      ? []
      : [
          {
            impairment_id: impairmentId([mediaBuyId, 'audience', audienceId, since]),
            resource_type: 'audience',
            resource_id: audienceId,
            package_ids: [first, ...others],
            transition: { to: 'suspended' },
            reason_code: reasonCode,
            observed_at: since,
          },
        ],
  )
}

function impairmentId(parts: readonly string[]): string {
  return `imp_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)}`
}

/** Impairments that came and that ended between two looks, each of which subscribers are notified of. */
export function impairmentChanges(before: readonly Impairment[], after: readonly Impairment[]): readonly Impairment[] {
  const without = (some: readonly Impairment[], others: readonly Impairment[]) => {
    const ids = new Set(others.map(({ impairment_id }) => impairment_id))
    return some.filter(({ impairment_id }) => !ids.has(impairment_id))
  }
  return [...without(after, before), ...without(before, after)]
}

/** What an answer of 3.1 says of the health of a buy. */
export function presentHealth(impairments: readonly Impairment[]): object {
  return impairments.length > 0 ? { health: 'impaired', impairments } : { health: 'ok' }
}

function present(mediaBuyId: string, { creativeId, offline, rejectionReason }: CreativeFact, packageIds: string[]): Impairment[] {
  const [first, ...others] = packageIds
  if (!offline || first === undefined) return []
  const { to, since } = offline
  return [
    {
      impairment_id: impairmentId([mediaBuyId, creativeId, to, since]),
      resource_type: 'creative',
      resource_id: creativeId,
      package_ids: [first, ...others],
      transition: { to },
      reason_code: to === 'rejected' ? 'content_rejected' : 'policy_violation',
      ...(rejectionReason !== undefined && { reason: rejectionReason.slice(0, MAX_REASON) }),
      observed_at: since,
    },
  ]
}
