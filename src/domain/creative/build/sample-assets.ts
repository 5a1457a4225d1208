import type { Asset, Assets } from '../assets.ts'
import type { Format, FormatAsset } from '../formats/format.ts'
import { linearVast } from './vast-document.ts'

type Individual = Extract<FormatAsset, { item_type: 'individual' }>

/** Where sample files would lie: a name that is reserved for examples (RFC 2606), so nothing answers there. */
const FILES = 'https://files.example'

/**
 * Assets that satisfy the required slots of a format, for library creatives of a sandbox that say nothing about theirs. Slots of code are left out, but for
 * VAST around a sample film.
 */
export function sampleAssets(format: Format | undefined): Assets {
  const slots = (format?.assets ?? []).flatMap((slot) => (slot.item_type === 'individual' && slot.required ? [slot] : []))
  return Object.fromEntries(
    slots.flatMap((slot) => {
      const asset = sampleOf(slot, format)
      return asset ? [[slot.asset_id, asset] as const] : []
    }),
  )
}

function sampleOf(slot: Individual, format: Format | undefined): Asset | undefined {
  switch (slot.asset_type) {
    case 'image': {
      const { min_width: width = 600, min_height: height = 314 } = slot.requirements ?? {}
      return { asset_type: 'image', url: `${FILES}/sample-${width}x${height}.png`, width, height, format: 'png' }
    }
    case 'video': {
      const { min_width: width = 1280, min_height: height = 720, min_duration_ms: least = 14_500 } = slot.requirements ?? {}
      return { asset_type: 'video', url: `${FILES}/sample.mp4`, width, height, duration_ms: least + 500 }
    }
    case 'text':
      return { asset_type: 'text', content: 'Sample text' }
    case 'vast':
      return { asset_type: 'vast', vast_version: '4.2', delivery_type: 'inline', content: sampleVast(format) }
    default:
      return undefined
  }
}

function sampleVast(format: Format | undefined): string {
  const { duration_ms: stated }: Readonly<Record<string, unknown>> = { ...format?.delivery }
  const copy = { headline: 'Sample', disclosures: [], trackers: [], clickUrl: `${FILES}/` }
  const spot = { id: 'sample', copy, durationMs: typeof stated === 'number' ? stated : 15_000 }
  return linearVast(spot, { url: `${FILES}/sample.mp4`, mimeType: 'video/mp4', width: 1280, height: 720 })
}
