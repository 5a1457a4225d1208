import type { CatalogFormat, FormatAsset } from '../formats/format.ts'

/** The canonical formats that formats of this agent come to (AdCP 3.1 core/canonical-format-kind.json). */
export type CanonicalKind =
  | 'image'
  | 'html5'
  | 'display_tag'
  | 'image_carousel'
  | 'video_hosted'
  | 'video_vast'
  | 'audio_hosted'
  | 'audio_vast'
  | 'audio_daast'
  | 'sponsored_placement'
  | 'native_in_feed'

/** Canonical kind by the asset that a format demands; the first entry that applies wins. */
const KIND_OF_ASSET = [
  ['catalog', 'sponsored_placement'],
  ['vast', 'video_vast'],
  ['daast', 'audio_daast'],
  ['javascript', 'display_tag'],
  ['zip', 'html5'],
  ['html', 'html5'],
  ['video', 'video_hosted'],
  ['audio', 'audio_hosted'],
  ['image', 'image'],
] as const

/** What is shown or heard in the end, where nothing that the format demands says it (a brief, a script). */
const KIND_OF_TYPE = { display: 'image', dooh: 'image', video: 'video_hosted', audio: 'audio_hosted' } as const

/** Slots that only ads in a feed of editorial content have (OpenRTB Native 1.2, data asset type 1: the sponsor). */
const NATIVE_SLOTS: readonly string[] = ['sponsor', 'sponsored_by', 'advertiser_name', 'openrtb_native']

/**
 * The canonical format that a format narrows, read from the assets that it demands (AdCP 3.1, registries/v1-canonical-mapping.json,
 * resolution by structure). Every format has one: what demands no file is named for what is shown in the end.
 */
export function canonicalKindOf({ type, format }: Pick<CatalogFormat, 'type' | 'format'>): CanonicalKind {
  const slots = format.assets ?? []
  const demanded = slots.some((slot) => slot.required) ? slots.filter((slot) => slot.required) : slots
  if (demanded.some(isCardGroup)) return 'image_carousel'
  const types = new Set(demanded.flatMap((slot): string[] => (slot.item_type === 'individual' ? [slot.asset_type] : [])))
  const kind = KIND_OF_ASSET.find(([assetType]) => types.has(assetType))?.[1] ?? KIND_OF_TYPE[type]
  if (kind === 'video_vast' && type === 'audio') return 'audio_vast'
  if (kind === 'image' && types.has('text') && slots.some(isNativeSlot)) return 'native_in_feed'
  return kind
}

function isCardGroup(slot: FormatAsset): boolean {
  return (
    slot.item_type === 'repeatable_group' &&
    slot.assets.some(({ asset_type }) => asset_type === 'image' || asset_type === 'video')
  )
}

function isNativeSlot(slot: FormatAsset): boolean {
  return slot.item_type === 'individual' && NATIVE_SLOTS.includes(slot.asset_id)
}
