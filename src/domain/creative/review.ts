import type { Assets } from './assets.ts'
import type { Finding } from './finding.ts'
import type { Verdict } from './lifecycle.ts'

/**
 * Who reviews: `automatic` decides by the rules below, `manual` leaves every creative to a person at the publisher, `trusted` approves also what this server
 * cannot check in full, `refused` takes none. `whose` says in words whose creatives are refused.
 */
export type ReviewPolicy =
  | { readonly mode: 'automatic' | 'manual' | 'trusted' }
  | { readonly mode: 'refused'; readonly whose: string }

/**
 * Decides on a creative that is free of errors: one whose files are not served over https is rejected, one that this server
 * cannot check in full waits for a person, any other is approved. The content of an ad is not examined. `warnings` are what
 * validation could not vouch for. The same creative always gets the same verdict, and the reason says which rule gave it.
 */
export function review(assets: Assets, warnings: readonly Finding[], policy: ReviewPolicy): Verdict {
  if (policy.mode === 'refused') return { status: 'rejected', reason: `the publisher takes no creatives of ${policy.whose}` }
  const insecure = insecureAsset(assets)
  if (insecure !== undefined) return { status: 'rejected', reason: `assets.${insecure} is not served over https` }
  if (policy.mode === 'trusted') return { status: 'approved' }
  if (policy.mode === 'manual') return { status: 'pending_review', reason: 'the publisher reviews every creative' }
  const [first] = warnings
  if (first) return { status: 'pending_review', reason: `a person has to review it: ${first.field} ${first.message}` }
  return { status: 'approved' }
}

/** The first asset that a page served over https could not load without a warning. A click may lead anywhere on the web. */
function insecureAsset(assets: Assets): string | undefined {
  return Object.entries(assets).find(
    ([, asset]) =>
      asset && asset.asset_type !== 'url' && 'url' in asset && typeof asset.url === 'string' && !/^https:/i.test(asset.url),
  )?.[0]
}
