import { isObject } from '../../../protocol/is-object.ts'
import { checkAssetLimits } from './check-asset-limits.ts'

/** A constraint that a manifest does not meet (AdCP 3.1, creative/validate-input-result.json). */
export interface Violation {
  readonly rule: string
  readonly expected?: unknown
  readonly predicted?: unknown
  /** Path in the manifest, e.g. `assets.video_main.duration_ms`. */
  readonly field: string
}

/** A slot as canonical formats and products declare it (AdCP 3.1, formats/canonical/_base.json). */
export type SlotRule = Readonly<Record<string, unknown>> & { readonly asset_group_id: string; readonly asset_type: string }

/** What a creative manifest is held against. */
export interface ManifestRules {
  /** Canonical kind, e.g. `image`. */
  readonly kind: string
  readonly slots: readonly SlotRule[]
  /** Limits that a product narrows the kind to; empty for the kind itself. */
  readonly params: Readonly<Record<string, unknown>>
}

/** The slots that a list of a schema or of a product holds; what is no slot is left out. */
export function slotsIn(value: unknown): readonly SlotRule[] {
  return Array.isArray(value) ? value.filter(isSlot) : []
}

function isSlot(value: unknown): value is SlotRule {
  return isObject(value) && typeof value.asset_group_id === 'string' && typeof value.asset_type === 'string'
}

/**
 * Holds the structure of a manifest against a canonical kind and what a product narrows it to: slots that are required, types, counts, sizes, lengths and
 * texts (AdCP 3.1, canonical formats page, "Validation flow"). What the manifest does not say of an asset is not judged. Linear in the number of assets.
 */
export function checkManifest(manifest: Readonly<Record<string, unknown>>, { kind, slots, params }: ManifestRules): Violation[] {
  const { format_kind: named } = manifest
  if (named !== undefined && named !== kind)
    return [{ rule: 'format_kind', expected: kind, predicted: named, field: 'format_kind' }]
  const assets = isObject(manifest.assets) ? manifest.assets : {}
  return slots.flatMap((slot) => checkSlot(slot, assets[slot.asset_group_id], params))
}

function checkSlot(slot: SlotRule, value: unknown, params: ManifestRules['params']): Violation[] {
  const field = `assets.${slot.asset_group_id}`
  const values = value === undefined ? [] : Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []
  const least = Math.max(slot.required === true ? 1 : 0, values.length > 0 ? (numberOf(slot.min) ?? 0) : 0)
  if (values.length === 0) {
    return least === 0 ? [] : [{ rule: 'required_slot', expected: slot.asset_type, field }]
  }
  const most = numberOf(slot.max)
  const count = values.length < least || (most !== undefined && values.length > most)
  return [
    ...(count ? [{ rule: 'slot_count', expected: `${least}-${most ?? 'any'}`, predicted: values.length, field }] : []),
    ...values.flatMap((asset, index) => {
      const at = Array.isArray(value) ? `${field}[${index}]` : field
      if (asset.asset_type !== slot.asset_type)
        return [{ rule: 'asset_type', expected: slot.asset_type, predicted: asset.asset_type, field: `${at}.asset_type` }]
      return checkAssetLimits(asset, slot, { params, field: at })
    }),
  ]
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
