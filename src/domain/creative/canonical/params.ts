import type { CatalogFormat, FormatAsset, FormatRender } from '../formats/format.ts'
import { type CanonicalKind, canonicalKindOf } from './kind.ts'
import { type CanonicalSlot, canonicalSlots } from './slots.ts'

/** What a format narrows its canonical format to (AdCP 3.1 formats/canonical/*.json). Sizes in pixels, lengths in milliseconds. */
export type CanonicalParams = Readonly<Record<string, unknown>>

/** Slots that a canonical format demands when its `slots` are left out, by name with their asset types. */
const DEMANDED: Readonly<Record<CanonicalKind, Readonly<Record<string, string>>>> = {
  image: { image_main: 'image' },
  html5: { html5_bundle: 'zip' },
  display_tag: { tag_url: 'url' },
  image_carousel: { cards: 'card' },
  video_hosted: { video_main: 'video' },
  video_vast: { vast_tag: 'vast' },
  audio_hosted: { audio_main: 'audio' },
  audio_vast: { vast_tag: 'vast' },
  audio_daast: { daast_tag: 'daast' },
  sponsored_placement: { source_catalog: 'catalog' },
  native_in_feed: { title: 'text', advertiser_name: 'text', landing_page_url: 'url' },
}

/** The parameters that a product declares for a format; `slots` only where they demand something else than the canonical format does. */
export function canonicalParams(format: CatalogFormat): CanonicalParams {
  const kind = canonicalKindOf(format)
  const slots = canonicalSlots(format)
  return {
    ...sizeParams(kind, format),
    ...lengthParams(kind, format),
    ...contentParams(kind, format),
    ...sourceParams(kind, slots),
    ...(!demandsTheUsual(kind, slots) && slots.length > 0 && { slots }),
  }
}

function demandsTheUsual(kind: CanonicalKind, slots: readonly CanonicalSlot[]): boolean {
  const demanded = slots.filter((slot) => slot.required)
  const usual = DEMANDED[kind]
  return (
    demanded.length === Object.keys(usual).length &&
    demanded.every(({ asset_group_id, asset_type }) => usual[asset_group_id] === asset_type)
  )
}

function sizeParams(kind: CanonicalKind, { format }: CatalogFormat): CanonicalParams {
  if (kind === 'video_hosted') return limitsOf(individual(format.assets, 'video')?.requirements)
  if (kind !== 'image' && kind !== 'html5' && kind !== 'display_tag') return {}
  const own = kind === 'image' ? sizeOf(individual(format.assets, 'image')?.requirements) : {}
  return Object.keys(own).length > 0 ? own : renderSize(format.renders?.[0])
}

interface Limits {
  readonly min_width?: number
  readonly max_width?: number
  readonly min_height?: number
  readonly max_height?: number
  readonly aspect_ratio?: string
  readonly unit?: string
}

function renderSize(render: FormatRender | undefined): CanonicalParams {
  if (!render || !('dimensions' in render)) return {}
  const { width, height, min_width, max_width, min_height, max_height, unit } = render.dimensions
  const least = { min_width: width ?? min_width, min_height: height ?? min_height }
  const most = { max_width: width ?? max_width, max_height: height ?? max_height }
  return sizeOf(defined({ ...least, ...most, unit }))
}

/** Either one fixed size or limits: the canonical formats allow no mix. Sizes in other units than pixels say nothing about a file. */
function sizeOf(limits: Limits | undefined): CanonicalParams {
  if (!limits || (limits.unit !== undefined && limits.unit !== 'px')) return {}
  const { min_width: width, max_width, min_height: height, max_height } = limits
  const fixed = width !== undefined && width === max_width && height !== undefined && height === max_height
  return fixed ? { width, height } : limitsOf(limits)
}

function limitsOf({ min_width, max_width, min_height, max_height, aspect_ratio }: Limits = {}): CanonicalParams {
  return defined({ min_width, max_width, min_height, max_height, aspect_ratio })
}

function lengthParams(kind: CanonicalKind, { format }: CatalogFormat): CanonicalParams {
  if (!['video_hosted', 'video_vast', 'audio_hosted', 'audio_vast', 'audio_daast'].includes(kind)) return {}
  const delivery: Readonly<Record<string, unknown>> = { ...format.delivery }
  if (typeof delivery.duration_ms === 'number') return { duration_ms_exact: delivery.duration_ms }
  const rules = individual(format.assets, 'video')?.requirements ?? individual(format.assets, 'audio')?.requirements
  const [least, most] = [rules?.min_duration_ms ?? null, rules?.max_duration_ms ?? null]
  return least === null && most === null ? {} : { duration_ms_range: [least, most] }
}

function contentParams(kind: CanonicalKind, { format: { assets } }: CatalogFormat): CanonicalParams {
  switch (kind) {
    case 'video_vast':
    case 'audio_vast':
      return defined({ vast_version: individual(assets, 'vast')?.requirements?.vast_version })
    case 'audio_daast':
      return defined({ daast_version: individual(assets, 'daast')?.requirements?.daast_version })
    case 'image_carousel': {
      const group = assets?.find((slot) => slot.item_type === 'repeatable_group')
      return group?.item_type === 'repeatable_group' ? { min_cards: group.min_count, max_cards: group.max_count } : {}
    }
    case 'sponsored_placement': {
      const rules = individual(assets, 'catalog')?.requirements
      return defined({
        supported_catalog_types: rules && [rules.catalog_type],
        min_items: rules?.min_items,
        max_items: rules?.max_items,
      })
    }
    default:
      return {}
  }
}

/** Where the file comes from when the buyer brings none: it is made from a brief, or from words that the publisher's people speak or set. */
function sourceParams(kind: CanonicalKind, slots: readonly CanonicalSlot[]): CanonicalParams {
  const demanded = slots.filter((slot) => slot.required).map((slot) => slot.asset_type)
  if (demanded.length === 0) return {}
  if (demanded.every((type) => type === 'brief')) return { asset_source: 'agent_synthesized' }
  if (!demanded.every((type) => type === 'text' || type === 'markdown')) return {}
  return { asset_source: kind === 'audio_hosted' ? 'publisher_host_recorded' : 'seller_pre_rendered_from_brief' }
}

type Individual = Extract<FormatAsset, { item_type: 'individual' }>

function individual<T extends Individual['asset_type']>(
  assets: readonly FormatAsset[] | undefined,
  type: T,
): Extract<Individual, { asset_type: T }> | undefined {
  return assets?.find(
    (slot): slot is Extract<Individual, { asset_type: T }> => slot.item_type === 'individual' && slot.asset_type === type,
  )
}

function defined(params: CanonicalParams): CanonicalParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}
