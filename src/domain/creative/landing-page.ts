import type { Assets } from './assets.ts'
import { addressesOf } from './creative-addresses.ts'
import type { ResolvedFormat } from './resolve-format.ts'

/** Assets whose own code or document may say where a click leads. */
const WITH_LINKS = new Set(['html', 'javascript', 'vast', 'daast', 'markdown'])

/** Where a click on a creative leads, as its assets say; undefined where none does. */
export function clickAddress(assets: Assets): string | undefined {
  return addressesOf(assets).find(({ kind }) => kind === 'click')?.url
}

/** What a buyer has to know of a creative whose format takes a landing page and that has none: it can be served. Undefined for any other. */
export function landingPageRemark(assets: Assets, resolved: ResolvedFormat): string | undefined {
  const slots = resolved.kind === 'known' ? (resolved.format.format.assets ?? []) : []
  const slot = slots.find((each) => 'asset_role' in each && each.asset_role === 'clickthrough')
  if (!slot || !('asset_id' in slot) || clickAddress(assets) !== undefined) return undefined
  if (Object.values(assets).some((asset) => asset !== undefined && WITH_LINKS.has(asset.asset_type))) return undefined
  return `assets.${slot.asset_id} is missing: a click on the ad leads nowhere; send the landing page there`
}
