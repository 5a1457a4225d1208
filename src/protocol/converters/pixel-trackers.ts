import { isObject } from '../is-object.ts'
import type { Json } from './line-converter.ts'

/**
 * A creative or a manifest with the trackers of 3.1 (core/assets/pixel-tracker-asset.json) as the URL assets that 3.0 has for them (core/assets/url-asset.json,
 * `url_type`). What they are called at stays in `tracker_event`, which no schema of 3.0 forbids.
 */
export function withUrlTrackers(creative: Json): Json {
  return withAssets(creative, ({ asset_type: type, event, method, custom_event_name: name, ...asset }) =>
    type === 'pixel_tracker'
      ? {
          ...asset,
          asset_type: 'url',
          url_type: method === 'js' ? 'tracker_script' : 'tracker_pixel',
          tracker_event: event,
          ...(name !== undefined && { custom_event_name: name }),
        }
      : undefined,
  )
}

/** The same creative as 3.1 shows it. */
export function withPixelTrackers(creative: Json): Json {
  return withAssets(creative, ({ asset_type: type, url_type: mechanism, tracker_event: event, ...asset }) =>
    type === 'url' && event !== undefined
      ? { ...asset, asset_type: 'pixel_tracker', event, method: mechanism === 'tracker_script' ? 'js' : 'img' }
      : undefined,
  )
}

/** The creative with those of its assets changed of which `change` makes something. */
function withAssets(creative: Json, change: (asset: Json) => Json | undefined): Json {
  const { assets } = creative
  if (!isObject(assets)) return creative
  const changed = Object.entries(assets).flatMap(([id, asset]) => {
    const next = isObject(asset) ? change({ ...asset }) : undefined
    return next ? [[id, next] as const] : []
  })
  return changed.length === 0 ? creative : { ...creative, assets: { ...assets, ...Object.fromEntries(changed) } }
}
