import type { Asset, Assets } from './assets.ts'
import { readVast, vastOfAssets } from './preview/player.ts'

/**
 * What an address of a creative is for. `file`: what it is made of; `tag`: a VAST or DAAST document elsewhere; `click`: where a click leads; `tracker`: what
 * counts, so that asking it would count.
 */
export const ADDRESS_KINDS = ['file', 'tag', 'click', 'tracker'] as const
export type AddressKind = (typeof ADDRESS_KINDS)[number]

/** An address that a creative names. */
export interface CreativeAddress {
  readonly asset: string
  readonly kind: AddressKind
  readonly url: string
}

/** The addresses that the assets of a creative name, in their order, those inside of a VAST document that is sent whole too. */
export function addressesOf(assets: Assets): readonly CreativeAddress[] {
  const named = Object.entries(assets).flatMap(([asset, value]): CreativeAddress[] => {
    if (!(value && 'url' in value && typeof value.url === 'string')) return []
    return [{ asset, kind: kindOf(asset, value), url: value.url }]
  })
  const inline = vastOfAssets(assets)?.inline
  if (inline === undefined) return named
  const { media, clickThrough, wrapped } = readVast(inline)
  const inside = (kind: AddressKind, url: string | undefined): CreativeAddress[] =>
    url === undefined ? [] : [{ asset: 'vast', kind, url }]
  return [...named, ...inside('file', media), ...inside('click', clickThrough), ...inside('tag', wrapped)]
}

function kindOf(name: string, asset: Asset): AddressKind {
  if (asset.asset_type === 'vast' || asset.asset_type === 'daast') return 'tag'
  if (asset.asset_type !== 'url') return 'file'
  const isTracker = asset.url_type === 'tracker_pixel' || asset.url_type === 'tracker_script' || 'tracker_event' in asset
  return isTracker || (asset.url_type === undefined && name.startsWith('impression_tracker')) ? 'tracker' : 'click'
}
