import { containedIn } from '../normal-text.ts'
import type { Asset } from './assets.ts'
import { type Finding, failure } from './finding.ts'
import type { FormatAsset } from './formats/format.ts'

type Individual = Extract<FormatAsset, { item_type: 'individual' }>
type Inner = Extract<FormatAsset, { item_type: 'repeatable_group' }>['assets'][number]

/** A slot for one asset, on its own or inside a repetition. */
export type Slot = Individual | Inner

type Requirements<T extends Slot['asset_type']> =
  Extract<Slot, { asset_type: T }> extends { requirements?: infer R } ? NonNullable<R> : never
type AssetOf<T extends Asset['asset_type']> = Extract<Asset, { asset_type: T }>

/** Rounding of a size to whole pixels moves its ratio by less than this. */
const RATIO_TOLERANCE = 0.01

/** Holds one asset against its slot. `field` is its path, e.g. `assets.image`. */
export function checkAsset(slot: Slot, asset: Asset, field: string): Finding[] {
  if (slot.asset_type !== asset.asset_type) return [failure(`${field}.asset_type`, `must be ${slot.asset_type}`)]
  if (!('requirements' in slot) || slot.requirements === undefined) return []
  if (slot.asset_type === 'image' && asset.asset_type === 'image') return checkImage(slot.requirements, asset, field)
  if (slot.asset_type === 'video' && asset.asset_type === 'video') return checkVideo(slot.requirements, asset, field)
  if (slot.asset_type === 'audio' && asset.asset_type === 'audio') return checkAudio(slot.requirements, asset, field)
  if (slot.asset_type === 'text' && asset.asset_type === 'text') return checkText(slot.requirements, asset.content, field)
  if (slot.asset_type === 'url' && asset.asset_type === 'url') return checkUrl(slot.requirements, asset.url, field)
  if (slot.asset_type === 'html' && asset.asset_type === 'html') return checkSize(slot.requirements, asset.content, field)
  if (slot.asset_type === 'javascript' && asset.asset_type === 'javascript')
    return checkSize(slot.requirements, asset.content, field)
  return []
}

function checkImage(rules: Requirements<'image'>, { width, height, format }: AssetOf<'image'>, field: string): Finding[] {
  return [
    // Inches and centimetres belong to print, where the file's pixels say nothing.
    ...(rules.unit === undefined || rules.unit === 'px' ? dimensions(rules, width, height, field) : []),
    ...oneOf(rules.formats, format === 'jpeg' ? 'jpg' : format, `${field}.format`),
  ]
}

function checkVideo(rules: Requirements<'video'>, asset: AssetOf<'video'>, field: string): Finding[] {
  return [
    ...dimensions(rules, asset.width, asset.height, field),
    ...range(asset.duration_ms, rules.min_duration_ms, rules.max_duration_ms, `${field}.duration_ms`),
    ...range(asset.video_bitrate_kbps, rules.min_bitrate_kbps, rules.max_bitrate_kbps, `${field}.video_bitrate_kbps`),
    ...range(asset.file_size_bytes, undefined, bytesOf(rules.max_file_size_kb), `${field}.file_size_bytes`),
    ...oneOf(rules.containers, asset.container_format, `${field}.container_format`),
    ...oneOf(rules.codecs, asset.video_codec, `${field}.video_codec`),
    ...(rules.audio_required && asset.has_audio === false ? [failure(`${field}.has_audio`, 'must be true')] : []),
  ]
}

function checkAudio(rules: Requirements<'audio'>, asset: AssetOf<'audio'>, field: string): Finding[] {
  return [
    ...range(asset.duration_ms, rules.min_duration_ms, rules.max_duration_ms, `${field}.duration_ms`),
    ...range(asset.bitrate_kbps, rules.min_bitrate_kbps, rules.max_bitrate_kbps, `${field}.bitrate_kbps`),
    ...range(asset.file_size_bytes, undefined, bytesOf(rules.max_file_size_kb), `${field}.file_size_bytes`),
    ...oneOf(rules.formats, asset.container_format, `${field}.container_format`),
    ...oneOf(rules.sample_rates, asset.sampling_rate_hz, `${field}.sampling_rate_hz`),
  ]
}

function checkText(rules: Requirements<'text'>, content: string, field: string): Finding[] {
  const path = `${field}.content`
  // Characters as readers count them, not UTF-16 units.
  const length = [...content].length
  const banned = rules.prohibited_terms?.find(containedIn(content))
  return [
    ...(rules.min_length !== undefined && length < rules.min_length
      ? [failure(path, `must have at least ${rules.min_length} characters`)]
      : []),
    ...(rules.max_length !== undefined && length > rules.max_length
      ? [failure(path, `must have at most ${rules.max_length} characters`)]
      : []),
    ...(banned === undefined ? [] : [failure(path, 'has a term that the format does not allow')]),
  ]
}

function checkUrl(rules: Requirements<'url'>, url: string, field: string): Finding[] {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  return [
    ...oneOf(rules.protocols, scheme, `${field}.url`),
    ...(rules.max_length !== undefined && url.length > rules.max_length
      ? [failure(`${field}.url`, `must have at most ${rules.max_length} characters`)]
      : []),
  ]
}

function checkSize(rules: { max_file_size_kb?: number }, content: string, field: string): Finding[] {
  const limit = bytesOf(rules.max_file_size_kb)
  return limit !== undefined && Buffer.byteLength(content) > limit
    ? [failure(`${field}.content`, `must have at most ${rules.max_file_size_kb} kB`)]
    : []
}

interface SizeRules {
  readonly min_width?: number
  readonly max_width?: number
  readonly min_height?: number
  readonly max_height?: number
  readonly aspect_ratio?: string
}

function dimensions(rules: SizeRules, width: number, height: number, field: string): Finding[] {
  const sizes = [
    ...range(width, rules.min_width, rules.max_width, `${field}.width`),
    ...range(height, rules.min_height, rules.max_height, `${field}.height`),
  ]
  const ratio = ratioOf(rules.aspect_ratio)
  const off = ratio !== undefined && Math.abs(width / height - ratio) > ratio * RATIO_TOLERANCE
  return sizes.length === 0 && off ? [failure(`${field}.width`, `and height must have the ratio ${rules.aspect_ratio}`)] : sizes
}

function ratioOf(text: string | undefined): number | undefined {
  const [, wide, high] = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return wide !== undefined && high !== undefined && Number(high) > 0 ? Number(wide) / Number(high) : undefined
}

/** A value outside of `least` to `most`; one that is absent is not held against them. */
export function range(value: number | undefined, least: number | undefined, most: number | undefined, field: string): Finding[] {
  if (value === undefined) return []
  if (least !== undefined && least === most && value !== least) return [failure(field, `must be ${least}`)]
  if (least !== undefined && value < least) return [failure(field, `must be at least ${least}`)]
  if (most !== undefined && value > most) return [failure(field, `must be at most ${most}`)]
  return []
}

function oneOf<T extends string | number>(allowed: readonly T[] | undefined, value: T | undefined, field: string): Finding[] {
  if (!allowed || value === undefined || allowed.includes(value)) return []
  return [failure(field, `must be one of ${allowed.join(', ')}`)]
}

function bytesOf(kilobytes: number | undefined): number | undefined {
  return kilobytes === undefined ? undefined : kilobytes * 1024
}
