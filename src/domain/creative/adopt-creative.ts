import type { Assets } from './assets.ts'
import type { FormatChooser } from './canonical/choose-format.ts'
import { canonicalNames } from './canonical/slots.ts'
import type { SentCreative } from './creative.ts'
import type { CatalogFormat } from './formats/format.ts'
import { type FormatScope, resolveFormat } from './resolve-format.ts'

/** Names that the official formats give to slots of the standard formats (creative.adcontextprotocol.org), by the ids that the slots have here. */
const OFFICIAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  image: ['banner_image', 'billboard_image', 'screen_image', 'thumbnail', 'main_image'],
  video: ['video_file'],
  audio: ['audio_file'],
  html: ['html_creative'],
  tag: ['js_creative'],
  headline: ['title'],
  body: ['description'],
  cta: ['cta_text'],
  sponsor: ['sponsored_by', 'author'],
  logo: ['icon'],
}

/**
 * A creative with its assets under the names of the format's own slots, where they came under canonical or official ones. All else stays as the
 * buyer wrote it. `ofKind` finds the format of one that says its kind where its `format_id` names none.
 */
export function adoptCreative(sent: SentCreative, scope: FormatScope, ofKind?: FormatChooser['ofKind']): SentCreative {
  const wire = inFormatOfKind(sent, scope, ofKind)
  const resolved = resolveFormat(wire.format_id, scope)
  return resolved.kind === 'known' ? { ...wire, assets: inOwnSlots(wire.assets, resolved.format) } : wire
}

/** A creative that named an option of a product which is no format of its own, with the format of its kind that takes its files. */
function inFormatOfKind(
  wire: SentCreative & { readonly format_kind?: unknown },
  scope: FormatScope,
  ofKind: FormatChooser['ofKind'] | undefined,
): SentCreative {
  if (!ofKind || wire.format_kind === undefined || resolveFormat(wire.format_id, scope).kind !== 'unknown') return wire
  const format_id = ofKind(wire.format_kind, wire.assets)
  return format_id ? { ...wire, format_id } : wire
}

/** Assets under the names of a format's own slots. A name that is a slot's own id, and one of another asset type, stays. */
export function inOwnSlots(assets: Assets, format: CatalogFormat): Assets {
  const slots = (format.format.assets ?? []).flatMap((slot) => (slot.item_type === 'individual' ? [slot] : []))
  const ids = new Set(slots.map((slot) => slot.asset_id))
  const canonical = canonicalNames(format)
  const renamed = new Map<string, string>()
  for (const { asset_id, asset_type } of slots) {
    if (assets[asset_id]) continue
    const names = [canonical.get(asset_id) ?? asset_id, ...(OFFICIAL_NAMES[asset_id] ?? [])]
    const name = names.find((each) => !ids.has(each) && !renamed.has(each) && assets[each]?.asset_type === asset_type)
    if (name !== undefined) renamed.set(name, asset_id)
  }
  if (renamed.size === 0) return assets
  return Object.fromEntries(Object.entries(assets).map(([name, asset]) => [renamed.get(name) ?? name, asset]))
}
