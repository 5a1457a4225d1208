import type { CatalogFormat } from '../formats/format.ts'
import { type FormatKey, sameFormat } from '../formats/format-id.ts'
import { officialReference } from '../formats/official-formats.ts'
import { type CanonicalKind, canonicalKindOf } from './kind.ts'
import { type CanonicalParams, canonicalParams } from './params.ts'

/**
 * A format as products declare it to buyers of AdCP 3.1 and later (3.1 core/product-format-declaration.json). A product of 3.0 may carry
 * declarations beside its `format_ids`.
 */
export interface FormatDeclaration {
  /** The id of the format with its parameters: stable, and unique among the formats of a product. */
  readonly format_option_id: string
  readonly format_kind: CanonicalKind
  readonly params: CanonicalParams
  /**
   * The same format as a buyer names it to a seller of 3.0: the official format that takes the same files, which clients can look up, else the
   * name that the product has in `format_ids`.
   */
  readonly v1_format_ref: readonly [FormatKey]
}

/** Gives the declaration of a format that a product names; undefined for formats of other agents. */
export type Declare = (format: FormatKey) => FormatDeclaration | undefined

/** Declares the formats of an agent, each once. */
export function declarer(formats: readonly CatalogFormat[]): Declare {
  const byId = new Map(formats.map((format) => [format.format.format_id.id, format]))
  const made = new Map<CatalogFormat, FormatDeclaration>()
  return (wanted) => {
    const format = byId.get(wanted.id)
    if (!format || !sameFormat(wanted, format.format.format_id)) return undefined
    const known = made.get(format) ?? declarationOf(format, format.format.format_id)
    made.set(format, known)
    return hasParameters(wanted) ? declarationOf(format, wanted) : known
  }
}

/** The declaration of a format under the name that a product gives it, with the parameters of that name (core/format-id.json). */
export function declarationOf(format: CatalogFormat, ref: FormatKey): FormatDeclaration {
  return {
    format_option_id: optionId(ref),
    format_kind: canonicalKindOf(format),
    params: withParameters(canonicalParams(format), ref),
    v1_format_ref: [(format.standard && !hasParameters(ref) && officialReference(ref.id)) || ref],
  }
}

function optionId({ id, width, height, duration_ms }: FormatKey): string {
  const size = width !== undefined && height !== undefined ? [`${width}x${height}`] : []
  const length = duration_ms === undefined ? [] : [`${duration_ms}ms`]
  return [id, ...size, ...length].join('_')
}

/** A size or length in the name takes the place of the limits that the format states. */
function withParameters(params: CanonicalParams, { width, height, duration_ms }: FormatKey): CanonicalParams {
  const size = width !== undefined && height !== undefined ? { width, height } : undefined
  const length = duration_ms === undefined ? undefined : { duration_ms_exact: duration_ms }
  const kept = Object.entries(params).filter(
    ([name]) => !(size && SIZE_LIMITS.includes(name)) && !(length && name === 'duration_ms_range'),
  )
  return { ...Object.fromEntries(kept), ...size, ...length }
}

const SIZE_LIMITS: readonly string[] = ['min_width', 'max_width', 'min_height', 'max_height', 'aspect_ratio']

function hasParameters({ width, height, duration_ms }: FormatKey): boolean {
  return width !== undefined || height !== undefined || duration_ms !== undefined
}
