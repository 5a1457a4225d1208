import type { Asset, Assets } from './assets.ts'
import { absence, type Finding, failure, warning } from './finding.ts'
import type { FormatAsset } from './formats/format.ts'
import type { ResolvedFormat } from './resolve-format.ts'
import { checkAsset, range, type Slot } from './validate-asset.ts'

type Group = Extract<FormatAsset, { item_type: 'repeatable_group' }>

/**
 * Holds a creative's assets against the slots of its format (AdCP core/format.json `assets`). Errors: a required slot that is
 * empty, an asset of another type, one that breaks a stated requirement. Warnings: an asset that belongs to no slot, a format
 * whose slots this server does not know. Facts that the asset does not state (a file size, a codec) are not held against it.
 */
export function validateCreative(assets: Assets, format: ResolvedFormat): Finding[] {
  if (format.kind === 'unknown')
    return [failure('format_id', `names no format that this seller takes${format.hint ?? '; see list_creative_formats'}`)]
  if (format.kind === 'opaque') return [warning('format_id', 'is a format whose requirements this server does not know')]
  const slots = format.format.format.assets ?? []
  // Trackers of events belong to every format (AdCP 3.1, core/assets/pixel-tracker-asset.json).
  const strange = Object.keys(assets).filter(
    (key) => eventOf(assets[key]) === undefined && !slots.some((slot) => belongsTo(slot, key)),
  )
  const strangeByType = new Map(strange.map((key) => [assets[key]?.asset_type, key] as const))
  const findings = slots.flatMap((slot) => {
    if (slot.item_type === 'repeatable_group') return checkGroup(slot, assets)
    const asked = replaceable(slot, slots, assets) ? { ...slot, required: false } : slot
    return checkSlot(asked, assets[slot.asset_id], slot.asset_id, strangeByType.get(slot.asset_type))
  })
  const { duration_ms: lengthMs } = { ...format.format.format.delivery } as Readonly<Record<string, unknown>>
  const none = `belongs to no slot of the format, which has: ${slots.map(slotName).join(', ')}`
  const warnings = [
    ...few(strange, (key) => warning(`assets.${key}`, none), 'belong to no slot of the format'),
    ...few(uncalled(assets), (key) => warning(`assets.${key}`, NOT_CALLED), 'are not called'),
  ]
  return [...findings, ...lengthFaults(assets, lengthMs), ...warnings]
}

/** Assets of a creative that get a warning of their own: one with thousands would be answered with more than it sent. */
const MOST_WARNED = 20

function few(keys: readonly string[], warn: (key: string) => Finding, others: string): Finding[] {
  const left = keys.length - MOST_WARNED
  return [...keys.slice(0, MOST_WARNED).map(warn), ...(left > 0 ? [warning('assets', `has ${left} more that ${others}`)] : [])]
}

/** Half a second on either side covers rounding, as in files (formats/media-assets.ts). */
const LENGTH_TOLERANCE_MS = 500

/** Tags that declare another length than their format has: the slots of tags state none. */
function lengthFaults(assets: Assets, lengthMs: unknown): Finding[] {
  if (typeof lengthMs !== 'number') return []
  return Object.entries(assets).flatMap(([key, asset]) => {
    if (asset?.asset_type !== 'vast' && asset?.asset_type !== 'daast') return []
    return range(asset.duration_ms, lengthMs - LENGTH_TOLERANCE_MS, lengthMs + LENGTH_TOLERANCE_MS, `assets.${key}.duration_ms`)
  })
}

function slotName(slot: FormatAsset): string {
  return slot.item_type === 'repeatable_group' ? slot.asset_group_id : slot.asset_id
}

/** Events of which trackers are called, as pixels. */
const CALLED: readonly unknown[] = ['impression', 'viewable_mrc_50', 'click']

const NOT_CALLED = `is not called: pixels (img) of ${CALLED.join(', ')} are`

/** Trackers that nothing here calls. */
function uncalled(assets: Assets): readonly string[] {
  return Object.entries(assets).flatMap(([key, asset]) => {
    const event = eventOf(asset)
    const isCalled = CALLED.includes(event) && asset?.asset_type === 'url' && asset.url_type === 'tracker_pixel'
    return event === undefined || isCalled ? [] : [key]
  })
}

function eventOf(asset: Asset | undefined): unknown {
  const members: Readonly<Record<string, unknown>> = { ...asset }
  return members.tracker_event
}

/** Whether an asset of another slot with the same role replaces the one that the slot asks for. */
function replaceable(slot: Slot & { readonly asset_role?: string }, slots: readonly FormatAsset[], assets: Assets): boolean {
  if (!slot.asset_role) return false
  return slots.some(
    (other) =>
      other.item_type === 'individual' &&
      other.asset_id !== slot.asset_id &&
      other.asset_role === slot.asset_role &&
      assets[other.asset_id]?.asset_type === other.asset_type,
  )
}

/** `misnamed`: an asset of the slot's type that belongs to no slot, and was likely meant for this one. */
function checkSlot(slot: Slot, asset: Asset | undefined, key: string, misnamed?: string): Finding[] {
  if (asset) return checkAsset(slot, asset, `assets.${key}`)
  const hint = misnamed === undefined ? '' : `; ${misnamed.slice(0, LONGEST_KEY)} is no slot of it: send that as ${key}`
  return slot.required ? [absence(`assets.${key}`, `is required by the format (${slot.asset_type})${hint}`)] : []
}

/** Longer keys of assets are not repeated whole. */
const LONGEST_KEY = 64

function belongsTo(slot: FormatAsset, key: string): boolean {
  return slot.item_type === 'repeatable_group' ? repetitionOf(slot, key) !== undefined : slot.asset_id === key
}

/** AdCP 3.0 names no key for the assets of a repetition: here they are `<group>_<number>_<asset>`, e.g. `card_1_image`. */
function repetitionOf(group: Group, key: string): string | undefined {
  const prefix = `${group.asset_group_id}_`
  if (!key.startsWith(prefix)) return undefined
  const [, number, assetId] = /^(\d+)_(.+)$/.exec(key.slice(prefix.length)) ?? []
  return group.assets.some((inner) => inner.asset_id === assetId) ? number : undefined
}

function checkGroup(group: Group, assets: Assets): Finding[] {
  const field = `assets.${group.asset_group_id}_1_${group.assets[0]?.asset_id ?? 'asset'}`
  const numbers = [...new Set(Object.keys(assets).flatMap((key) => repetitionOf(group, key) ?? []))]
  if (numbers.length === 0 && !group.required) return []
  const count: Finding[] =
    numbers.length < group.min_count || numbers.length > group.max_count
      ? [
          failure(
            field,
            `is part of ${numbers.length} repetitions of ${group.asset_group_id}; the format takes ${group.min_count} to ${group.max_count}`,
          ),
        ]
      : []
  const inner = numbers.flatMap((number) =>
    group.assets.flatMap((slot) => {
      const key = `${group.asset_group_id}_${number}_${slot.asset_id}`
      return checkSlot(slot, assets[key], key)
    }),
  )
  return [...count, ...inner]
}
