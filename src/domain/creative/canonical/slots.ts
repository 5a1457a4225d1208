import { ownValue } from '../../own-value.ts'
import type { CatalogFormat, FormatAsset } from '../formats/format.ts'
import { type CanonicalKind, canonicalKindOf } from './kind.ts'

/** A slot of a canonical format (AdCP 3.1 formats/canonical/_base.json `slots`). */
export interface CanonicalSlot {
  readonly asset_group_id: string
  readonly asset_type: string
  readonly required: boolean
  readonly min?: number
  readonly max?: number
  readonly max_chars?: number
}

/** The slot that carries the ad itself: its asset type and its canonical name. */
const MAIN_SLOT: Readonly<Record<CanonicalKind, readonly [assetType: string, group: string]>> = {
  image: ['image', 'image_main'],
  html5: ['html', 'html5_bundle'],
  display_tag: ['javascript', 'tag'],
  image_carousel: ['card', 'cards'],
  video_hosted: ['video', 'video_main'],
  video_vast: ['vast', 'vast_tag'],
  audio_hosted: ['audio', 'audio_main'],
  audio_vast: ['vast', 'vast_tag'],
  audio_daast: ['daast', 'daast_tag'],
  sponsored_placement: ['catalog', 'source_catalog'],
  native_in_feed: ['image', 'main_image'],
}

/** Canonical names of the other slots, by the asset id that formats of this agent use (AdCP 3.1 core/asset-group-vocabulary.json). */
const GROUP_OF_ASSET: Readonly<Record<string, string>> = {
  body: 'body_text',
  brief: 'creative_brief',
  offer_code: 'promo_code',
  sponsor: 'brand_name',
}

/** Canonical names that differ in a feed of editorial content (formats/canonical/native_in_feed.json). */
const NATIVE_GROUPS: Readonly<Record<string, string>> = { headline: 'title', sponsor: 'advertiser_name', logo: 'icon' }

/** Canonical names of a format's slots, by their own ids. A name represents one slot only: a second one keeps its own id. */
export function canonicalNames(format: CatalogFormat): ReadonlyMap<string, string> {
  const kind = canonicalKindOf(format)
  const slots = format.format.assets ?? []
  const main = mainSlot(slots, kind)
  const names = new Map<string, string>()
  if (main) names.set(idOf(main), MAIN_SLOT[kind][1])
  const taken = new Set(names.values())
  for (const slot of slots) {
    const name = slot === main ? undefined : otherName(slot, kind)
    if (name === undefined || taken.has(name)) continue
    taken.add(name)
    names.set(idOf(slot), name)
  }
  return names
}

/** The slots of a format under their canonical names. Addresses that are only called for counting are no slots of a canonical format. */
export function canonicalSlots(format: CatalogFormat): CanonicalSlot[] {
  const names = canonicalNames(format)
  return (format.format.assets ?? []).flatMap((slot): CanonicalSlot[] => {
    if (slot.item_type === 'individual' && isTracker(slot)) return []
    const asset_group_id = names.get(idOf(slot)) ?? idOf(slot)
    if (slot.item_type === 'repeatable_group') {
      return [{ asset_group_id, asset_type: 'card', required: slot.required, min: slot.min_count, max: slot.max_count }]
    }
    const longest = slot.asset_type === 'text' ? slot.requirements?.max_length : undefined
    return [
      {
        asset_group_id,
        asset_type: slot.asset_type,
        required: slot.required,
        ...(longest !== undefined && { max_chars: longest }),
      },
    ]
  })
}

function mainSlot(slots: readonly FormatAsset[], kind: CanonicalKind): FormatAsset | undefined {
  const [type] = MAIN_SLOT[kind]
  const fitting = slots.filter((slot) =>
    slot.item_type === 'repeatable_group' ? type === 'card' : slot.asset_type === type && !isTracker(slot),
  )
  return fitting.find((slot) => slot.required) ?? fitting[0]
}

function otherName(slot: FormatAsset, kind: CanonicalKind): string | undefined {
  if (slot.item_type === 'repeatable_group') return undefined
  if (slot.asset_type === 'url') return isClickThrough(slot) ? 'landing_page_url' : undefined
  const native = kind === 'native_in_feed' ? NATIVE_GROUPS[slot.asset_id] : undefined
  return native ?? ownValue(GROUP_OF_ASSET, slot.asset_id)
}

type Individual = Extract<FormatAsset, { item_type: 'individual' }>

function isClickThrough(slot: Individual): boolean {
  return slot.asset_type === 'url' && (slot.requirements?.role === 'clickthrough' || slot.asset_role === 'clickthrough')
}

function isTracker(slot: Individual): boolean {
  return (
    slot.asset_type === 'url' && !isClickThrough(slot) && /tracker|tracking/.test(`${slot.requirements?.role} ${slot.asset_id}`)
  )
}

/** The key of a slot in a creative's assets; of a group, what its keys begin with. */
function idOf(slot: FormatAsset): string {
  return slot.item_type === 'individual' ? slot.asset_id : slot.asset_group_id
}
