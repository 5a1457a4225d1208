import { AdcpError } from '../../../protocol/errors.ts'
import type { Asset, Assets } from '../assets.ts'
import { type AdCatalog, identifyingMacro, shownItem } from '../macros/catalog-macros.ts'
import { urlTemplate } from '../macros/fill.ts'
import type { BrandLook } from './copy.ts'
import type { Directions } from './read-message.ts'

const CLICK_IDS = ['click_url', 'clickthrough_url', 'landing_page_url']

export interface AddressSources {
  readonly assets: Assets
  readonly directions: Directions
  readonly brand: BrandLook | undefined
  readonly catalog: AdCatalog | undefined
  /** An address that answers impressions when the buyer names none of its own. */
  readonly pixelUrl?: string
  /** Path of the assets in the request, for errors. */
  readonly field: string
}

/**
 * Where a click leads and what is called for an impression. Ads for a catalog carry the macro of its items in both, unfilled: which item
 * shows is known only when the ad does. Throws VALIDATION_ERROR for an address that is none.
 */
export function addressesOf(sources: AddressSources): { readonly clickUrl?: string; readonly trackers: readonly string[] } {
  const { assets, directions, brand, catalog, pixelUrl, field } = sources
  const asked = directions.macros
  const macros = asked.length > 0 || !catalog ? asked : [identifyingMacro(catalog.type)]
  const [only] = catalog?.items.length === 1 ? catalog.items : []
  const home = brand && `https://${brand.domain}/`
  const click = directions.clickUrl ?? urlIn(assets, CLICK_IDS, field) ?? (only && shownItem(only).url) ?? home
  const clickUrl = click === undefined ? undefined : urlTemplate(click)
  const own = trackersIn(assets, field)
  const named = directions.trackerUrl === undefined ? own : [directions.trackerUrl]
  const trackers = named.length === 0 && macros.length > 0 && pixelUrl !== undefined ? [pixelUrl] : named
  return {
    ...(clickUrl !== undefined && { clickUrl: withMacros(clickUrl, macros) }),
    trackers: trackers.flatMap((tracker) => urlTemplate(tracker) ?? []).map((tracker) => withMacros(tracker, macros)),
  }
}

/** Adds macros as query parameters of their own names, as far as the address does not have them. */
function withMacros(address: string, macros: readonly string[]): string {
  return macros.reduce((url, macro) => {
    if (url.includes(`{${macro}}`) || /^\{[A-Z_]+\}$/.test(url)) return url
    const [, base = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(url) ?? []
    return `${base}${base.includes('?') ? '&' : '?'}${macro.toLowerCase()}={${macro}}${fragment}`
  }, address)
}

function trackersIn(assets: Assets, field: string): string[] {
  return Object.entries(assets).flatMap(([id, asset]) =>
    asset?.asset_type === 'url' && (id === 'impression_tracker' || asset.url_type === 'tracker_pixel')
      ? [checked(asset, `${field}.${id}`)]
      : [],
  )
}

function urlIn(assets: Assets, ids: readonly string[], field: string): string | undefined {
  const id = ids.find((each) => assets[each]?.asset_type === 'url')
  const asset = id === undefined ? undefined : assets[id]
  return asset?.asset_type === 'url' ? checked(asset, `${field}.${id}`) : undefined
}

function checked(asset: Extract<Asset, { asset_type: 'url' }>, field: string): string {
  if (urlTemplate(asset.url) !== undefined) return asset.url
  throw new AdcpError('VALIDATION_ERROR', `${field}.url must be an http(s) address, with macros only behind its host`, {
    field: `${field}.url`,
  })
}
