import { isObject } from '../is-object.ts'
import { entries } from './change-members.ts'
import type { Json, RequestContext } from './line-converter.ts'
import { withUrlTrackers } from './pixel-trackers.ts'

/**
 * A creative, or a manifest of one, that names its format as 3.1 does (`format_option_ref`, core/format-option-ref.json), with the `format_id` of 3.0:
 * the options of this agent's products are its formats, under their own ids. Of one that says only what kind of format it is (`format_kind`) the assets decide;
 * where none of the formats takes them, it stays as it is. Its trackers become those of 3.0.
 */
export function withFormatId(creative: Json, context: RequestContext): Json {
  const { format_option_ref: reference, format_kind: kind, format_id: known, assets } = creative
  const format = known === undefined ? (formatOf(reference, context) ?? context.formats.ofKind(kind, assets)) : undefined
  const own = withUrlTrackers(creative)
  return format === undefined ? own : { ...own, format_id: format }
}

/**
 * The request with the packages in one of its lists as 3.0 names formats and placements: their inline creatives changed as {@link withFormatId} does, these and assigned creatives
 * as {@link withPlacementIds} does.
 */
export function packagesIn(request: Json, list: string, context: RequestContext): Json {
  return entries(request, list, (each) => {
    const own = entries(each, 'creatives', (creative) => withPlacementIds(withFormatId(creative, context)))
    return entries(own, 'creative_assignments', withPlacementIds)
  })
}

/** A creative or an assignment that names placements as 3.1 does (`placement_refs`, which count before `placement_ids`), with the ids of 3.0. */
export function withPlacementIds(value: Json): Json {
  const { placement_refs: references, ...rest } = value
  if (!Array.isArray(references)) return value
  return { ...rest, placement_ids: references.map((each: unknown) => (isObject(each) ? each.placement_id : each)) }
}

/** A product without `format_ids` where none of its options refers to one: it was declared by kinds alone, and has some because 3.0 demands them. */
export function withoutUnnamedFormats(product: Json): Json {
  const { format_ids: ids, format_options: options, ...rest } = product
  if (!Array.isArray(ids) || !Array.isArray(options) || options.length === 0) return product
  const named = idsOf(ids)
  const isNamed = (option: Json) => isObject(option) && (option.v1_format_ref !== undefined || named.has(option.format_option_id))
  return options.some(isNamed) ? product : { ...rest, format_options: options }
}

/**
 * A product that names its formats by their official ids too, as far as its options refer to those: clients of 3.1 look the ids up, and those of line 7 of the
 * Python client leave out formats that they do not know. The options do not repeat them (`v1_format_ref`): an option has the own id of its format.
 */
export function withOfficialFormats(product: Json): Json {
  const { format_ids: ids, format_options: options } = product
  if (!Array.isArray(ids) || !Array.isArray(options)) return product
  const named = idsOf(ids)
  const owners = new Set(ids.map(ownerOf))
  const isOfficial = (each: unknown) => !owners.has(ownerOf(each))
  const official = options.flatMap(({ v1_format_ref: references }: Json) =>
    Array.isArray(references) ? references.filter(isOfficial) : [],
  )
  if (official.length === 0) return product
  const shown = options.map((option: Json) => {
    const { v1_format_ref: references, ...others } = option
    const isRepeated = Array.isArray(references) && references.every(isOfficial) && named.has(option.format_option_id)
    return isRepeated ? others : option
  })
  return { ...product, format_ids: [...ids, ...official], format_options: shown }
}

function idsOf(formats: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(formats.map((id) => (isObject(id) ? id.id : id)))
}

function ownerOf(format: unknown): unknown {
  return isObject(format) ? format.agent_url : undefined
}

/** The value with a manifest in one of its members changed as {@link withFormatId} does. */
export function manifestIn(value: Json, member: string, context: RequestContext): Json {
  const manifest = value[member]
  return isObject(manifest) ? { ...value, [member]: withFormatId(manifest, context) } : value
}

function formatOf(reference: unknown, { formats }: RequestContext): object | undefined {
  return isObject(reference) && typeof reference.format_option_id === 'string'
    ? formats.ofOption(reference.format_option_id)
    : undefined
}
