import { entries } from './change-members.ts'
import type { Json, RequestContext } from './line-converter.ts'

/**
 * A creative, or a manifest of one, that names its format as 3.1 does (`format_option_ref`, core/format-option-ref.json), with the `format_id` of 3.0:
 * the options of this agent's products are its formats, under their own ids. One that says only what kind of format it is stays as it is.
 */
export function withFormatId(creative: Json, context: RequestContext): Json {
  const { format_option_ref: reference, format_id: known } = creative
  const format = known === undefined ? formatOf(reference, context) : undefined
  return format === undefined ? creative : { ...creative, format_id: format }
}

/** The request with the inline creatives of the packages in one of its lists changed as {@link withFormatId} does. */
export function packagesIn(request: Json, list: string, context: RequestContext): Json {
  return entries(request, list, (each) => entries(each, 'creatives', (creative) => withFormatId(creative, context)))
}

/** The value with a manifest in one of its members changed as {@link withFormatId} does. */
export function manifestIn(value: Json, member: string, context: RequestContext): Json {
  const manifest = value[member]
  return isObject(manifest) ? { ...value, [member]: withFormatId(manifest, context) } : value
}

function formatOf(reference: unknown, { agentUrl }: RequestContext): Json | undefined {
  if (!isObject(reference) || typeof reference.format_option_id !== 'string') return undefined
  return { agent_url: agentUrl, id: reference.format_option_id }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
