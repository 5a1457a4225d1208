import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { Manifest } from '../../protocol/manifest.ts'

/** Of any release; what an answer lists is what the manifest of its release has. */
export type Specialism = NonNullable<GetAdCPCapabilitiesResponse['specialisms']>[number] | 'sponsored-intelligence'

/**
 * Specialisms whose behaviour is built; each is declared only while every task that its storyboards call is wired. Not `creative-transformers`: its stories refine
 * builds, and builds are not kept.
 */
export const SPECIALISMS: readonly Specialism[] = [
  'sales-guaranteed',
  'sales-non-guaranteed',
  'sales-proposal-mode',
  'sales-broadcast-tv',
  'sales-social',
  'sales-catalog-driven',
  'audience-sync',
  'creative-template',
  'creative-generative',
  'creative-ad-server',
  'property-lists',
  'collection-lists',
  'content-standards',
  // Before the signals: the official suite plays them in this order, and each leaves a plan that hardly allows anything.
  'brand-rights',
  'signal-marketplace',
  'signal-owned',
  'governance-aware-seller',
  'governance-spend-authority',
  'governance-delivery-monitor',
  'sponsored-intelligence',
]

/**
 * Names among the exercised tools that a seller of a specialism need not serve: steps of the official runner, the controller of sandboxes, and
 * the tools that `media_buy.lifecycle_tools` declares by itself (AdCP 3.2, get_adcp_capabilities).
 */
const NOT_REQUIRED = new Set([
  'assert_contribution',
  'comply_test_controller',
  'accept_proposal',
  'buy_products',
  'control_media_buy',
  'decline_proposals',
  'list_products',
  'refine_proposals',
  'request_proposals',
])

/** Whether every task is wired that the storyboards of a specialism call. */
export function isWired(specialism: Specialism, specialisms: Manifest['specialisms'], tasks: ReadonlySet<string>): boolean {
  const declared = specialisms[specialism.replaceAll('-', '_')]
  return (
    declared?.exercised_tools.every((tool) => tasks.has(tool) || NOT_REQUIRED.has(tool) || tool.startsWith('expect_')) ?? false
  )
}
