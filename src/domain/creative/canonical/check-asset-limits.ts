import { isObject } from '../../../protocol/is-object.ts'
import type { SlotRule, Violation } from './check-manifest.ts'

type Asset = Readonly<Record<string, unknown>>
type Params = Readonly<Record<string, unknown>>

/** Bytes of a kilobyte in the limits of formats. */
const KILOBYTE = 1024
/** Rounding of a size to whole pixels moves its ratio by less than this. */
const RATIO_TOLERANCE = 0.01
/** Slots that hold the ad itself, to which sizes and lengths of a format apply (formats/canonical/*.json). */
const MAIN_SLOTS: ReadonlySet<string> = new Set(['image_main', 'video_main', 'audio_main', 'html5_bundle', 'tag_url', 'cards'])
/** Lists of allowed values by the member of an asset that they are about. */
const LISTS = [
  ['image_formats', 'format', 'image'],
  ['containers', 'container_format', 'video'],
  ['video_codecs', 'video_codec', 'video'],
  ['audio_codecs', 'codec', 'audio'],
] as const

/** Holds one asset against its slot and the parameters of the format. `field` is its path. */
export function checkAssetLimits(
  asset: Asset,
  slot: SlotRule,
  { params, field }: { readonly params: Params; readonly field: string },
): Violation[] {
  const name = slot.asset_group_id
  const isMain = MAIN_SLOTS.has(name)
  return [
    ...checkText(asset, { longest: slot.max_chars ?? params[`${name}_max_chars`], values: params[`${name}_values`], field }),
    ...(isMain ? [...checkSize(asset, params, field), ...checkLength(asset, params, field)] : []),
    ...checkNativeSize(asset, name, { params, field }),
    ...checkWeight(asset, slot, { params, field, isMain }),
    ...LISTS.flatMap(([list, member, type]) =>
      slot.asset_type === type ? oneOf(list, params[list], asset[member], `${field}.${member}`) : [],
    ),
  ]
}

function checkText(
  { content }: Asset,
  { longest, values, field }: { readonly longest: unknown; readonly values: unknown; readonly field: string },
): Violation[] {
  if (typeof content !== 'string') return []
  // Characters as readers count them, not UTF-16 units.
  const length = [...content].length
  return [
    ...most('max_chars', longest, length, `${field}.content`),
    ...oneOf('allowed_values', values, content, `${field}.content`),
  ]
}

function checkSize(asset: Asset, params: Params, field: string): Violation[] {
  const { width, height } = asset
  const { sizes, aspect_ratio: ratio } = params
  const isListed = (size: unknown) => isObject(size) && size.width === width && size.height === height
  const known = typeof width === 'number' && typeof height === 'number'
  return [
    ...same('width', params.width, width, `${field}.width`),
    ...same('height', params.height, height, `${field}.height`),
    ...(known && Array.isArray(sizes) && !sizes.some(isListed)
      ? [{ rule: 'sizes', expected: sizes, predicted: { width, height }, field: `${field}.width` }]
      : []),
    ...least('min_width', params.min_width, width, `${field}.width`),
    ...most('max_width', params.max_width, width, `${field}.width`),
    ...least('min_height', params.min_height, height, `${field}.height`),
    ...most('max_height', params.max_height, height, `${field}.height`),
    ...(known && !hasRatio(width / height, ratio)
      ? [{ rule: 'aspect_ratio', expected: ratio, predicted: `${width}:${height}`, field: `${field}.width` }]
      : []),
  ]
}

/** Pictures of an ad in a feed have sizes of their own (formats/canonical/native_in_feed.json). */
function checkNativeSize(
  { width, height }: Asset,
  slot: string,
  { params, field }: { readonly params: Params; readonly field: string },
): Violation[] {
  if (typeof width !== 'number' || typeof height !== 'number') return []
  const [rule, sizes] =
    slot === 'main_image'
      ? ['main_image_sizes', params.main_image_sizes]
      : ['icon_size', slot === 'icon' ? [params.icon_size] : []]
  const listed = Array.isArray(sizes) ? sizes.filter(isObject) : []
  if (listed.length === 0 || listed.some((size) => size.width === width && size.height === height)) return []
  return [{ rule: String(rule), expected: listed, predicted: { width, height }, field: `${field}.width` }]
}

function checkLength(asset: Asset, params: Params, field: string): Violation[] {
  const { duration_ms: length } = asset
  const at = `${field}.duration_ms`
  if (typeof length !== 'number') return []
  const { duration_ms_range: range } = params
  const [from, to]: unknown[] = Array.isArray(range) ? range : []
  const isWithin = (typeof from !== 'number' || length >= from) && (typeof to !== 'number' || length <= to)
  return [
    ...same('duration_ms_exact', params.duration_ms_exact, length, at),
    ...(isWithin ? [] : [{ rule: 'duration_ms_range', expected: `${from ?? ''}-${to ?? ''}`, predicted: length, field: at }]),
  ]
}

function checkWeight(
  { file_size_bytes: bytes }: Asset,
  slot: SlotRule,
  { params, field, isMain }: { readonly params: Params; readonly field: string; readonly isMain: boolean },
): Violation[] {
  if (typeof bytes !== 'number') return []
  const megabytes = typeof params.max_file_size_mb === 'number' ? params.max_file_size_mb * KILOBYTE : undefined
  const whole = isMain ? (params.max_file_size_kb ?? megabytes) : undefined
  const picture = slot.asset_type === 'image' ? params.max_image_file_size_kb : undefined
  return [slot.max_size_kb, whole, picture].flatMap((limit) =>
    typeof limit === 'number' ? most('max_file_size_kb', limit, Math.ceil(bytes / KILOBYTE), `${field}.file_size_bytes`) : [],
  )
}

function same(rule: string, expected: unknown, value: unknown, field: string): Violation[] {
  return expected === undefined || value === undefined || value === expected ? [] : [{ rule, expected, predicted: value, field }]
}

function least(rule: string, limit: unknown, value: unknown, field: string): Violation[] {
  const isBelow = typeof limit === 'number' && typeof value === 'number' && value < limit
  return isBelow ? [{ rule, expected: limit, predicted: value, field }] : []
}

function most(rule: string, limit: unknown, value: unknown, field: string): Violation[] {
  const isAbove = typeof limit === 'number' && typeof value === 'number' && value > limit
  return isAbove ? [{ rule, expected: limit, predicted: value, field }] : []
}

function oneOf(rule: string, allowed: unknown, value: unknown, field: string): Violation[] {
  if (!Array.isArray(allowed) || value === undefined || allowed.includes(value)) return []
  // One format of pictures has two names.
  if (value === 'jpeg' && allowed.includes('jpg')) return []
  return [{ rule, expected: allowed, predicted: value, field }]
}

function hasRatio(actual: number, wanted: unknown): boolean {
  const [, wide, high] = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(typeof wanted === 'string' ? wanted : '') ?? []
  const ratio = Number(wide) / Number(high)
  return !Number.isFinite(ratio) || Math.abs(actual - ratio) <= ratio * RATIO_TOLERANCE
}
